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

    /// What a person means who writes a number or a name: `102` is somebody at the domain of `account`, a URI like
    /// `sip:100@example.com`, `102@example.com` somebody there; a whole URI means itself.
    public static func completed(_ text: String, account: String?) -> String {
        if let colon = text.firstIndex(of: ":"), ["sip", "sips", "tel"].contains(text[..<colon].lowercased()) { return text }
        guard !text.contains("@"), case .sip(let own)? = account.flatMap({ URI($0) }) else { return "sip:" + text }
        return (own.isSecure ? "sips:" : "sip:") + text + "@" + own.host + (own.port.map { ":\($0)" } ?? "")
    }

    /// Host and port of `sip:HOST[:PORT]`, where this side is to be called; nil: it is none.
    public static func listening(_ text: String) -> (host: String, port: UInt16?, isSecure: Bool)? {
        guard case .sip(let uri) = URI(text) else { return nil }
        let host = uri.host.hasPrefix("[") ? String(uri.host.dropFirst().dropLast()) : uri.host
        return (host, uri.port, uri.isSecure)
    }
}
