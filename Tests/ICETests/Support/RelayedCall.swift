import ICE

/// A caller with a relay, and whom it calls: seeds 1 and 2; neither has begun.
///
/// - Parameters:
///   - network: where they are, and their server.
///   - relayOnly: whether only relays are used by those who have one.
///   - isForBoth: whether the callee has the caller's settings.
///   - nat: what the callee is behind; the server then tells addresses too.
/// - Returns: the server and the two ends.
func relayedCall(
    in network: SimulatedNetwork, relayOnly: Bool = false, isForBoth: Bool = false, nat: NAT? = nil
) -> (server: SimulatedServer, caller: Endpoint, callee: Endpoint) {
    let server = SimulatedServer(address("198.51.100.1:3478"), in: network)
    var configuration = ICEConfiguration()
    configuration.turnServers = [server.turn]
    configuration.relayOnly = relayOnly
    if nat != nil { configuration.stunServers = [server.address] }
    let caller = Endpoint(
        "caller", in: network, [ip("203.0.113.1")], role: .controlling, configuration: configuration, seed: 1)
    let callee = Endpoint(
        "callee", in: network, [ip(nat == nil ? "203.0.113.2" : "10.0.0.1")], nat: nat, role: .controlled,
        configuration: isForBoth ? configuration : ICEConfiguration(), seed: 2)
    return (server, caller, callee)
}
