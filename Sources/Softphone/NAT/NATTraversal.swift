import ICE
import Settings

/// How calls find their way through NATs: whether by ICE, and which servers help. Copies share what was learnt of the servers.
public struct NATTraversal: Sendable {
    /// An account may say otherwise.
    public var mode = ICEMode.auto
    /// Nobody has chosen `mode` by flag or variable, so that an account's counts.
    package var followsAccounts = true
    let servers: ServerBook
    /// Ports at which this program serves others: no peer may send our checks there.
    package private(set) var protectedPorts: Set<UInt16> = []

    /// Without servers.
    public init() { servers = ServerBook(stun: [], turn: [], access: RelayAccess()) }

    /// As the configuration says.
    public init(_ configuration: Configuration) throws(SoftphoneError) {
        mode = configuration[\.network.ice]
        followsAccounts = !configuration.isChosenForRun(\.network.ice)
        let password: String
        do { password = try configuration.turnPassword() } catch { throw .request(error.description) }
        servers = ServerBook(
            stun: configuration[\.network.stun], turn: configuration[\.network.turn],
            access: RelayAccess(user: configuration[\.network.turnUser] ?? "", password: password),
            authorityFile: configuration[\.network.turnCA])
        let requests = configuration[\.softphone.sipPort]
        // Requests by TLS come at the port after the one of UDP and TCP; 0 is any that is free.
        let own = [
            configuration[\.softphone.port], configuration[\.softphone.metricsPort] ?? 0, requests,
            requests == 0 ? 0 : requests + 1,
        ]
        protectedPorts = Set(own.filter { $0 != 0 }.map { UInt16(clamping: $0) })
        guard mode != .relay || !configuration[\.network.turn].isEmpty else {
            throw .request("ice is relay, and there is no relay; name one with turn, or choose another ice")
        }
    }

    /// Looks up the servers' names, so that the first call need not wait for them.
    public func prepare() { if mode != .off { servers.prepare() } }

    /// Whether a call of ours offers ICE.
    package var isOffered: Bool {
        switch mode {
        case .off: false
        case .auto: servers.hasServers
        case .on, .relay: true
        }
    }

    /// What a call's agent begins with; its servers are told when it gathers.
    func agentConfiguration() -> ICEConfiguration {
        var configuration = ICEConfiguration()
        configuration.relayOnly = mode == .relay
        configuration.protectedPorts = protectedPorts
        return configuration
    }
}
