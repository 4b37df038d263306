import Realtime

/// Both sides of a call as they pass, for whoever listens beside it. The media thread feeds it, any thread reads; neither waits longer
/// than it takes to copy a frame.
public final class CallTap: Sendable, Equatable {
    private let listeners = Lock<[CallListener]>([])

    /// A tap that nobody listens at.
    public init() {}

    /// Somebody listens from now on.
    /// - Parameter onSound: called on the media thread when there is something to take; short, please.
    /// - Returns: where it is taken.
    public func join(_ onSound: @escaping @Sendable () -> Void) -> CallListener {
        let listener = CallListener(onSound)
        listeners.withLock { $0.append(listener) }
        return listener
    }

    /// It listens no more.
    /// - Parameter listener: one that `join` gave.
    public func leave(_ listener: CallListener) { listeners.withLock { $0.removeAll { $0 === listener } } }

    func add(sent samples: UnsafeBufferPointer<Float>, sampleRate: Int) {
        for listener in listeners.withLock({ $0 }) { listener.add(samples, to: \.sent, sampleRate) }
    }

    func add(heard samples: UnsafeBufferPointer<Float>, sampleRate: Int) {
        for listener in listeners.withLock({ $0 }) { listener.add(samples, to: \.heard, sampleRate) }
    }

    public static func == (left: CallTap, right: CallTap) -> Bool { left === right }
}

/// What somebody who listens to a call has not taken yet; bounded: the oldest is lost, and counted.
public final class CallListener: Sendable {
    /// As much of one side as of the other.
    public struct Sound: Sendable, Equatable {
        /// In Hz.
        public var sampleRate: Int
        /// What our side says.
        public var sent: [Float]
        /// What the other side says.
        public var heard: [Float]
    }

    struct Sides {
        var sampleRate = 0
        var sent: [Float] = []
        var heard: [Float] = []
        /// In samples of both sides.
        var lost = 0
    }

    private let sides = Lock(Sides())
    private let onSound: @Sendable () -> Void

    /// Kept at most, s.
    public static let seconds = 2
    /// A side that lags by more has nothing to say: it is filled up with silence, ms.
    private static let lag = 100

    fileprivate init(_ onSound: @escaping @Sendable () -> Void) { self.onSound = onSound }

    fileprivate func add(
        _ samples: UnsafeBufferPointer<Float>, to side: WritableKeyPath<Sides, [Float]> & Sendable, _ sampleRate: Int
    ) {
        sides.withLock { sides in
            if sides.sampleRate != sampleRate {
                // What is left of another rate is less than a packet, as a rule.
                (sides.sampleRate, sides.sent, sides.heard) = (sampleRate, [], [])
            }
            sides[keyPath: side].append(contentsOf: samples)
            let longest = max(sides.sent.count, sides.heard.count)
            fill(&sides.sent, longest, sampleRate)
            fill(&sides.heard, longest, sampleRate)
            let excess = min(sides.sent.count, sides.heard.count) - Self.seconds * sampleRate
            guard excess > 0 else { return }
            sides.sent.removeFirst(excess)
            sides.heard.removeFirst(excess)
            sides.lost += excess
        }
        onSound()
    }

    private func fill(_ side: inout [Float], _ longest: Int, _ sampleRate: Int) {
        let missing = longest - side.count - sampleRate * Self.lag / 1000
        if missing > 0 { side += [Float](repeating: 0, count: missing) }
    }

    /// Everything that both sides have; `nil`: nothing.
    public func take() -> Sound? {
        sides.withLock { sides in
            let count = min(sides.sent.count, sides.heard.count)
            guard count > 0 else { return nil }
            defer {
                sides.sent.removeFirst(count)
                sides.heard.removeFirst(count)
            }
            return Sound(
                sampleRate: sides.sampleRate, sent: Array(sides.sent[..<count]), heard: Array(sides.heard[..<count]))
        }
    }

    /// Samples of each side that nobody took.
    public var lost: Int { sides.withLock { $0.lost } }
}
