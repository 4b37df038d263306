import Realtime

/// Sound between a call and a program that stands in for a person, both mono at one rate.
///
/// What the program says waits here for the clock of the device; what the program is to hear waits for the program. Both are bounded:
/// of a program that floods the newest is dropped, of one that does not read the oldest, each with a count. Any thread may call any
/// function; none waits longer than it takes to copy a few samples.
public final class SoundExchange: Sendable {
    /// What got lost, in samples.
    public struct Losses: Sendable, Equatable {
        /// Said, but there was no room.
        public var flooded = 0
        /// To be heard, but nobody took it.
        public var unheard = 0
        /// Wanted in the middle of speech, but not there yet: silence was played.
        public var late = 0

        public init() {}
    }

    private struct State {
        /// Said and not played yet begins at `played`.
        var said: [Float] = []
        var played = 0
        /// Samples played of all that was ever said.
        var position = 0
        var marks: [(name: String, position: Int)] = []
        var reached: [String] = []
        var heard: [Float] = []
        /// Speech begins when so much of it is there.
        var reserve: Int
        var isSpeaking = false
        var losses = Losses()
        var bell: (@Sendable () -> Void)?

        var waiting: Int { said.count - played }

        /// - Returns: the bell, when a mark has been reached.
        @discardableResult
        mutating func noteReached() -> (@Sendable () -> Void)? {
            let count = marks.prefix { $0.position <= position }.count
            guard count > 0 else { return nil }
            reached += marks[..<count].map(\.name)
            marks.removeFirst(count)
            return bell
        }
    }

    /// In Hz.
    public let sampleRate: Int
    /// Samples of a packet to the program.
    public let frame: Int
    private let state: Lock<State>

    /// Said ahead of time at most, s.
    public static let aheadSeconds = 60
    /// Kept for a program that does not read at most, s.
    public static let unreadSeconds = 2
    /// Marks that wait at most.
    public static let markLimit = 256
    /// The reserve grows up to this, ms, when speech comes late.
    private static let longestReserve = 80

    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - milliseconds: of a packet to the program.
    public init(sampleRate: Int, packetMilliseconds milliseconds: Int = 20) {
        self.sampleRate = sampleRate
        frame = sampleRate * milliseconds / 1000
        state = Lock(State(reserve: sampleRate / 100))
    }

    // MARK: The program

    /// Called from the device's thread whenever there is a packet to hear or a mark has been reached; short, please.
    public func setBell(_ bell: (@Sendable () -> Void)?) { state.withLock { $0.bell = bell } }

    /// The program says something, -1...1.
    public func say(_ samples: [Float]) {
        state.withLock { state in
            let room = max(sampleRate * Self.aheadSeconds - state.waiting, 0)
            state.losses.flooded += max(samples.count - room, 0)
            // What was played is forgotten now and then, not each time.
            if state.played > sampleRate {
                state.said.removeFirst(state.played)
                state.played = 0
            }
            state.said.append(contentsOf: samples.prefix(room))
        }
    }

    /// A name that comes back when everything said until now has been played.
    /// - Returns: whether there was room for it.
    public func mark(_ name: String) -> Bool {
        state.withLock { state in
            guard state.marks.count < Self.markLimit else { return false }
            state.marks.append((name, state.position + state.waiting))
            return true
        }
    }

    /// Forgets what was said and not played; its marks count as reached.
    public func clear() {
        state.withLock { state in
            state.position += state.waiting
            state.played = state.said.count
            state.isSpeaking = false
            state.noteReached()
        }
    }

    /// The next packet to hear; `nil`: not yet.
    public func takeHeard() -> [Float]? {
        state.withLock { state in
            guard state.heard.count >= frame else { return nil }
            defer { state.heard.removeFirst(frame) }
            return Array(state.heard[..<frame])
        }
    }

    /// Marks reached since the last call.
    public func takeReached() -> [String] {
        state.withLock { state in
            defer { state.reached = [] }
            return state.reached
        }
    }

    public var losses: Losses { state.withLock { $0.losses } }

    /// Seconds said ahead.
    public var aheadSeconds: Double { state.withLock { Double($0.waiting) / Double(sampleRate) } }

    // MARK: The device

    /// Fills in what is said.
    /// - Returns: how many samples there were; the rest is silence.
    package func read(into samples: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let (taken, bell) = state.withLock { state -> (Int, (@Sendable () -> Void)?) in
            if !state.isSpeaking {
                // A mark behind nothing is reached, too.
                guard state.waiting > 0, state.waiting >= state.reserve || !state.marks.isEmpty else {
                    return (0, state.noteReached())
                }
                state.isSpeaking = true
            }
            let taken = min(state.waiting, count)
            for index in 0..<taken { samples[index] = state.said[state.played + index] }
            state.played += taken
            state.position += taken
            if taken < count {
                // Whether it was the end of the sentence or lateness nobody knows; a reserve that is too large costs little.
                state.isSpeaking = false
                state.losses.late += count - taken
                state.reserve = min(state.reserve * 2, sampleRate * Self.longestReserve / 1000)
            }
            return (taken, state.noteReached())
        }
        bell?()
        return taken
    }

    /// Takes what is heard.
    package func write(_ samples: UnsafePointer<Float>, count: Int) {
        let bell = state.withLock { state -> (@Sendable () -> Void)? in
            state.heard.append(contentsOf: UnsafeBufferPointer(start: samples, count: count))
            let excess = state.heard.count - sampleRate * Self.unreadSeconds
            if excess > 0 {
                state.heard.removeFirst(excess)
                state.losses.unheard += excess
            }
            return state.heard.count >= frame ? state.bell : nil
        }
        bell?()
    }
}
