import Signalling

extension RegistrationChange {
    /// What to do about a registration that failed, or by which no calls come; nil: nothing.
    /// - Parameter account: whose it is; nil: the words do without its user and address.
    func remedy(for account: AccountSettings? = nil) -> String? {
        if state == .failed { return (failure ?? .network).remedy(for: account) }
        return isReachable == false
            ? "calls do not come through; if that goes on, choose transport: tcp or tls, or have the router keep its ways open"
            : nil
    }
}

extension RegistrationChange.Failure {
    /// What to do about it.
    /// - Parameter account: whose registration failed; nil: the words do without its user and address.
    package func remedy(for account: AccountSettings? = nil) -> String {
        switch self {
        case .authentication:
            let user = account.map { " (now \($0.user ?? "the user of the uri"))" } ?? ""
            return "check user:\(user) and the password"
        case .certificate:
            return "name the authority with tls.ca, the certificate itself with tls.pin, or have the server's mended"
        case .refused: return "ask the registrar's operator whether \(account?.uri ?? "this account") may register"
        case .server: return "the registrar is in trouble: try again later"
        case .network: return "check registrar: and transport:, and whether a firewall lies between"
        }
    }
}
