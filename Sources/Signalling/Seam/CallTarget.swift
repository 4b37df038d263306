import SIP

/// Whether a text can be called, before anything is started.
public enum CallTarget {
    /// What is wrong with `text` as somebody to call; nil: nothing.
    public static func problem(with text: String, hasAccount: Bool) -> String? {
        switch URI(text) {
        case .sip(let uri): uri.host.isEmpty ? "it names no host" : nil
        case .tel: hasAccount ? nil : "a telephone number is called through an account"
        case .other(let scheme, _): "\(scheme): cannot be called"
        case nil: "it is not well formed"
        }
    }

    /// Host and port of `sip:HOST[:PORT]`, where this side is to be called; nil: it is none.
    public static func listening(_ text: String) -> (host: String, port: UInt16?, isSecure: Bool)? {
        guard case .sip(let uri) = URI(text) else { return nil }
        let host = uri.host.hasPrefix("[") ? String(uri.host.dropFirst().dropLast()) : uri.host
        return (host, uri.port, uri.isSecure)
    }
}
