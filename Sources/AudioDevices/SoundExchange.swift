public import Realtime

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
        /// Said in the middle of speech, but too late: silence was played.
        public var late = 0

        public init() {}
    }

    /// A mark that was reached.
    public struct Reached: Sendable, Equatable {
        public var name: String
        /// When the last sample before it was at the microphone that the program stands for; `nil`: it was forgotten, and never played.
        public var time: HostTime?

        public init(name: String, time: HostTime?) { (self.name, self.time) = (name, time) }
    }

    private struct State {
        /// Said and not played yet begins at `played`.
        var said: [Float] = []
        var played = 0
        /// Samples played of all that was ever said.
        var position = 0
        var marks: [(name: String, position: Int)] = []
        var reached: [Reached] = []
        var heard: [Float] = []
        var reserve = SpeechReserve()
        var isSpeaking = false
        /// When the first sample came that is to be played next, of speech that has not begun.
        var speechCame: HostTime?
        /// From when a sample came until its block is handed over, at the beginning of speech, ms; `nil`: nothing was said yet.
        var age: Double?
        /// One way between here and the program, ms.
        var distance = 0.0
        /// Since when there is no program; `nil`: it is there.
        var away: HostTime?
        /// Samples of the announcement that were played while it is away.
        var announced = 0
        var losses = Losses()
        var bell: (@Sendable () -> Void)?

        var waiting: Int { said.count - played }

        /// Marks behind which nothing is to be played.
        /// - Returns: the bell, when there was one.
        @discardableResult
        mutating func noteReached(_ time: (Int) -> HostTime?) -> (@Sendable () -> Void)? {
            let count = marks.prefix { $0.position <= position }.count
            guard count > 0 else { return nil }
            reached += marks[..<count].map { Reached(name: $0.name, time: time($0.position)) }
            marks.removeFirst(count)
            return bell
        }
    }

    /// In Hz.
    public let sampleRate: Int
    /// Samples of a packet to the program.
    public let frame: Int
    /// What the call hears, again and again, while there is no program.
    private let announcement: [Float]
    private let state: Lock<State>

    /// Said ahead of time at most, s.
    public static let aheadSeconds = 60
    /// Kept for a program that does not read at most, s.
    public static let unreadSeconds = 2
    /// Marks that wait at most.
    public static let markLimit = 256
    /// A program that is back sooner is not announced as lost, ms.
    public static let announcedAfterMilliseconds = 1000.0

    /// A program that is there, or is missed.
    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - milliseconds: of a packet to the program.
    ///   - announcement: what the call hears while the program is not there, at that rate; empty: silence.
    ///   - awaySince: since when it is missed; `nil`: it is there.
    public init(
        sampleRate: Int, packetMilliseconds milliseconds: Int = 20, announcement: [Float] = [], awaySince: HostTime? = nil
    ) {
        self.sampleRate = sampleRate
        self.announcement = announcement
        frame = sampleRate * milliseconds / 1000
        var first = State()
        first.away = awaySince
        state = Lock(first)
    }

    private func milliseconds(_ samples: Int) -> Double { Double(samples) * 1000 / Double(sampleRate) }

    // MARK: The program

    /// Called from the device's thread whenever there is a packet to hear or a mark has been reached; short, please.
    public func setBell(_ bell: (@Sendable () -> Void)?) { state.withLock { $0.bell = bell } }

    /// The program is there.
    public func arrive() {
        state.withLock { ($0.away, $0.announced) = (nil, 0) }
    }

    /// A program that is not there is missed from now on only.
    public func expect(at now: HostTime) { state.withLock { if $0.away != nil { $0.away = now } } }

    /// The program is gone: what it said and nobody heard is forgotten, and what waits for it is not kept for the next one.
    public func leave(at now: HostTime) {
        forget()
        state.withLock { state in
            state.away = state.away ?? now
            (state.marks, state.reached, state.heard) = ([], [], [])
        }
    }

    /// The program says something, -1...1.
    public func say(_ samples: [Float], at now: HostTime) {
        guard !samples.isEmpty else { return }
        state.withLock { state in
            let room = max(sampleRate * Self.aheadSeconds - state.waiting, 0)
            state.losses.flooded += max(samples.count - room, 0)
            // What was played is forgotten now and then, not each time.
            if state.played > sampleRate {
                state.said.removeFirst(state.played)
                state.played = 0
            }
            if !state.isSpeaking, state.waiting == 0 {
                state.speechCame = now
                state.losses.late += Int(state.reserve.comes(at: now) * Double(sampleRate) / 1000)
            }
            state.said.append(contentsOf: samples.prefix(room))
        }
    }

    /// A name that comes back when everything said until now has been played.
    /// - Returns: whether there was room for it.
    public func mark(_ name: String) -> Bool {
        state.withLock { state in
            guard state.marks.count + state.reached.count < Self.markLimit else { return false }
            state.marks.append((name, state.position + state.waiting))
            return true
        }
    }

    /// Forgets what was said and not played; its marks come back with no time.
    public func clear() { forget() }

    private func forget() {
        state.withLock { state in
            state.position += state.waiting
            (state.said, state.played) = ([], 0)
            (state.isSpeaking, state.speechCame) = (false, nil)
            state.reserve.isCleared()
            state.noteReached { _ in nil }
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
    public func takeReached() -> [Reached] {
        state.withLock { state in
            defer { state.reached = [] }
            return state.reached
        }
    }

    /// How long something takes from here to the program, or back, ms.
    public func setDistance(milliseconds: Double) { state.withLock { $0.distance = milliseconds } }

    /// Since when there is no program; `nil`: it is there.
    public var awaySince: HostTime? { state.withLock { $0.away } }

    public var losses: Losses { state.withLock { $0.losses } }

    /// Seconds said ahead.
    public var aheadSeconds: Double { state.withLock { Double($0.waiting) / Double(sampleRate) } }

    /// The program's share of the delay, ms: from when it says something until the device hands it over, and from when the device
    /// wants to play something until the program has it. The first is `nil` before it said anything.
    public func delay(periodMilliseconds period: Double) -> (said: Double?, heard: Double) {
        state.withLock { state in
            (state.age.map { $0 + state.distance }, max(0, milliseconds(frame) - period) + state.distance)
        }
    }

    // MARK: The device

    /// Fills in what is said, or the announcement while there is no program.
    /// - Parameters:
    ///   - samples: room for `count`.
    ///   - count: of the block.
    ///   - now: when the block is handed over, which is when its last sample would come from a real microphone.
    /// - Returns: how many samples there were; the rest is silence.
    package func read(into samples: UnsafeMutablePointer<Float>, count: Int, at now: HostTime) -> Int {
        let (taken, bell) = state.withLock { state -> (Int, (@Sendable () -> Void)?) in
            if let away = state.away {
                return (announce(into: samples, count, &state, away: now.milliseconds(since: away)), nil)
            }
            if !state.isSpeaking {
                // A mark behind nothing is reached, too.
                guard state.waiting > 0, milliseconds(state.waiting) >= state.reserve.milliseconds || !state.marks.isEmpty
                else { return (0, state.noteReached { _ in now }) }
                state.isSpeaking = true
                state.reserve.begins(at: now)
                if let came = state.speechCame.take() {
                    let age = max(0, now.milliseconds(since: came))
                    state.age = state.age.map { $0 + (age - $0) / 4 } ?? age
                }
            }
            let first = state.position
            let taken = min(state.waiting, count)
            for index in 0..<taken { samples[index] = state.said[state.played + index] }
            state.played += taken
            state.position += taken
            if taken < count {
                state.isSpeaking = false
                state.reserve.runsDry(at: now)
            }
            let age = (state.age ?? milliseconds(count)) + state.distance
            return (
                taken,
                state.noteReached { now.advanced(byMilliseconds: milliseconds($0 - first) - age) }
            )
        }
        bell?()
        return taken
    }

    private func announce(
        into samples: UnsafeMutablePointer<Float>, _ count: Int, _ state: inout State, away: Double
    ) -> Int {
        guard !announcement.isEmpty, away >= Self.announcedAfterMilliseconds else { return 0 }
        for index in 0..<count { samples[index] = announcement[(state.announced + index) % announcement.count] }
        state.announced = (state.announced + count) % announcement.count
        return count
    }

    /// Takes what is heard.
    package func write(_ samples: UnsafePointer<Float>, count: Int) {
        let bell = state.withLock { state -> (@Sendable () -> Void)? in
            // Nobody is to hear later what was said while there was no program.
            guard state.away == nil else { return nil }
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
