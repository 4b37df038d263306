import Realtime

/// Messages over TCP and TLS: each stream is cut into them. One that cannot be understood, or keeps half a message for too long, is closed.
extension UserAgent {
    /// A stream brought octets. `source.connection` must be set.
    public func receive(stream bytes: some Sequence<UInt8>, from source: SignallingSource, now: HostTime) {
        guard let connection = source.connection else { return }
        var framer = framers[connection] ?? StreamFramer(limits: configuration.limits)
        var elements: [StreamFramer.Element] = []
        var failure: StreamFramer.Failure?
        do throws(StreamFramer.Failure) {
            try framer.receive(bytes, into: &elements)
        } catch {
            failure = error
        }
        framers[connection] = framer
        noteUnfinished(source, connection, isPending: framer.pendingBytes > 0, isWhole: !elements.isEmpty, now: now)
        var hasPonged = false
        for element in elements {
            switch element {
            case .message(let message): handle(parser.parse(message), from: source, now: now)
            case .ping:
                // One is enough for all that came together.
                if !hasPonged { send([13, 10], to: source.destination) }
                hasPonged = true
            case .pong: ponged(from: source, now: now)
            }
        }
        noteFlow(source, now: now)
        if let failure { breakOff(connection, source, failure) }
    }

    /// Nothing that comes can be understood any more, or it takes too long.
    private func breakOff(_ connection: SignallingConnectionID, _ source: SignallingSource, _ failure: StreamFramer.Failure) {
        forget(stream: connection)
        emit(.dropped(.brokenStream(failure), source))
        outputs.append(.close(connection))
    }

    /// Octets of a message that has not ended, on that stream.
    public func pendingBytes(on connection: SignallingConnectionID) -> Int { framers[connection]?.pendingBytes ?? 0 }

    /// - Parameters:
    ///   - isPending: whether a message has begun that has not ended.
    ///   - isWhole: whether one before it has just ended.
    private func noteUnfinished(
        _ source: SignallingSource, _ connection: SignallingConnectionID, isPending: Bool, isWhole: Bool, now: HostTime
    ) {
        guard isPending else {
            unfinished[connection] = nil
            return
        }
        guard isWhole || unfinished[connection] == nil else { return }
        let limit = now.advanced(byMilliseconds: configuration.timers.timeout)
        unfinished[connection] = (source, limit)
        timers.schedule(.stream(connection), at: limit)
    }

    /// A stream may keep the beginning of a message only for so long: others need its place.
    func fire(stream connection: SignallingConnectionID, now: HostTime) {
        guard let (source, limit) = unfinished[connection] else { return }
        guard limit <= now else { return timers.schedule(.stream(connection), at: limit) }
        breakOff(connection, source, .unfinished)
    }

    /// Nothing more comes over it.
    func forget(stream connection: SignallingConnectionID) { (framers[connection], unfinished[connection]) = (nil, nil) }
}
