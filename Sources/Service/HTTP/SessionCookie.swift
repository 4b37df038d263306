/// The session of a browser that came in by the first link: a cookie with the token, which no script can read.
enum SessionCookie {
    /// The longest that browsers keep one (RFC 6265bis), in seconds.
    private static let maximumAge = 400 * 86_400

    /// With the port in it, for browsers send the cookies of a host to all of its ports.
    private static func name(_ request: APIRequest) -> String {
        let host = request.headers["host"] ?? ""
        let port = host.split(separator: ":").last ?? ""
        let isPort = (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (48...57).contains($0) }
        return host.contains(":") && isPort ? "yodel-\(port)" : "yodel"
    }

    /// The token in a request's cookie; `nil`: it has none. Only our own page's requests count, as browsers tell them (Fetch Metadata).
    static func token(_ request: APIRequest) -> String? {
        guard request.headers["sec-fetch-site"]?.lowercased() == "same-origin" else { return nil }
        let wanted = name(request) + "="
        for part in (request.headers["cookie"] ?? "").split(separator: ";") {
            let part = part.drop { $0 == " " }
            if part.hasPrefix(wanted) { return String(part.dropFirst(wanted.count)) }
        }
        return nil
    }

    /// What `Set-Cookie` says.
    /// - Parameters:
    ///   - token: has neither spaces nor semicolons.
    ///   - request: that is answered. Browsers say in `Origin` whether it came by HTTPS; then the cookie goes by that alone.
    static func text(_ token: String, for request: APIRequest) -> String {
        let isEncrypted = request.headers["origin"]?.lowercased().hasPrefix("https://") == true
        return
            "\(name(request))=\(token); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(maximumAge)\(isEncrypted ? "; Secure" : "")"
    }
}
