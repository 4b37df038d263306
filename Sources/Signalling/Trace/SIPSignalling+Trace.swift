import SIP

/// What `SignallingConfiguration.trace` is told.
extension SIPSignalling {
    func trace(sent octets: [UInt8], to destination: SignallingDestination) {
        configuration.trace?(TracedMessage(.sent, octets, destination.transport, destination.address))
    }

    /// Of a stream whole messages only: half of one could hide a secret from the mask.
    func trace(received octets: [UInt8], from source: SignallingSource) {
        guard let trace = configuration.trace else { return }
        func note(_ octets: [UInt8]) { trace(TracedMessage(.received, octets, source.transport, source.remote)) }
        guard let connection = source.connection else { return note(octets) }
        var framer = traceFramers[connection] ?? StreamFramer()
        var elements: [StreamFramer.Element] = []
        var isBroken = false
        do throws(StreamFramer.Failure) { try framer.receive(octets, into: &elements) } catch { isBroken = true }
        traceFramers[connection] = isBroken ? nil : framer
        for element in elements {
            switch element {
            case .message(let message): note(message)
            case .ping: note([13, 10, 13, 10])
            case .pong: note([13, 10])
            }
        }
    }
}
