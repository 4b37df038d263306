/// The answer to a challenge: the value of Authorization or Proxy-Authorization, RFC 7616 section 3.4.
struct DigestCredentials {
    let user: String
    let password: Password
    let challenge: DigestChallenge
    let algorithm: DigestAlgorithm
    /// How often this nonce has been used, this time included.
    let count: UInt32
    let clientNonce: String

    func value(method: Method, uri: String, body: [UInt8]) -> String {
        let realm = challenge.realm
        var secretPart = algorithm.hexadecimal(password.appended(to: Array("\(user):\(realm):".utf8)))
        if algorithm.isSession {
            secretPart = algorithm.hexadecimal(Array("\(secretPart):\(challenge.nonce):\(clientNonce)".utf8))
        }
        let protection = challenge.protection
        var requestPart = "\(method.name):\(uri)"
        if protection == "auth-int" { requestPart += ":" + algorithm.hexadecimal(body) }
        requestPart = algorithm.hexadecimal(Array(requestPart.utf8))
        let digits = String(count, radix: 16)
        let countText = String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
        let middle = protection.map { "\(countText):\(clientNonce):\($0):" } ?? ""
        let response = algorithm.hexadecimal(Array("\(secretPart):\(challenge.nonce):\(middle)\(requestPart)".utf8))
        let name = challenge.hashesUser ? algorithm.hexadecimal(Array("\(user):\(realm)".utf8)) : user
        var text = "Digest username=\(QuotedString.quoted(name)), realm=\(QuotedString.quoted(realm))"
        text += ", nonce=\(QuotedString.quoted(challenge.nonce)), uri=\(QuotedString.quoted(uri))"
        text += ", response=\"\(response)\", algorithm=\(algorithm.name)"
        if let protection { text += ", qop=\(protection), nc=\(countText)" }
        if protection != nil || algorithm.isSession { text += ", cnonce=\"\(clientNonce)\"" }
        if let opaque = challenge.opaque { text += ", opaque=\(QuotedString.quoted(opaque))" }
        if challenge.hashesUser { text += ", userhash=true" }
        return text
    }
}
