/// Sends digits as telephone events, RFC 4733 section 2.5.1: a marker on the first packet, one time stamp for the
/// whole event, updates while it lasts, and three end packets.
///
/// It has no time of its own: the caller asks at every packet time with the audio's time stamp, and while it answers
/// sends its packet in the audio's place (section 2.5.1.2), through the same `RTPSender`. Time stamps are the audio's, since
/// both are one stream; durations are counted by the clock that was agreed on for the event's payload type.
public struct TelephoneEventSender: Sendable {
    /// A packet to send.
    public struct Packet: Sendable, Hashable {
        /// The four bytes of the payload.
        public let payload: [UInt8]
        /// Time stamp offset for `RTPSender.packetize`, the same for the whole event.
        public let timestamp: UInt32
        public let marker: Bool
    }

    /// How digits are sent; milliseconds are rounded to clock units.
    public struct Settings: Sendable, Hashable {
        /// Length of a digit, at least 40 ms (ITU-T Q.24). One event's 16-bit duration bounds it: 1.3 s with a clock of 48 kHz.
        public var digitMilliseconds = 100.0
        /// Least pause between digits, at least 40 ms (ITU-T Q.24).
        public var pauseMilliseconds = 60.0
        /// Interval of updates and of the end packets; 50 ms is the usual upper end (RFC 4733 section 2.5.1.2).
        public var updateMilliseconds = 20.0
        /// Power in dBm0, 0 to -63.
        public var level = -10

        public init() {}
    }

    private enum State {
        case idle
        /// The next update is due at `next`.
        case sounding(code: UInt8, start: UInt32, next: UInt32)
        /// `left` end packets are still to be sent.
        case ending(code: UInt8, start: UInt32, next: UInt32, left: Int)
        /// No digit before `until`.
        case pausing(until: UInt32)
    }

    private let settings: Settings
    private let volume: UInt8
    /// Of time stamps, in Hz; below, units are of this one.
    private let clockRate: UInt32
    /// Of durations in packets, in Hz.
    private let durationClockRate: UInt32
    private let digitUnits: UInt32
    private let pauseUnits: UInt32
    private let updateUnits: UInt32
    private var state = State.idle
    private var queue: [UInt8] = []

    /// - `clockRate`: clock of the audio, and so of the time stamps, in Hz.
    /// - `durationClockRate`: clock of the events' payload type in Hz; `nil`: that of the audio.
    public init(clockRate: Int, durationClockRate: Int? = nil, settings: Settings = Settings()) {
        func units(_ milliseconds: Double, _ range: ClosedRange<Double>) -> UInt32 {
            let clamped = max(range.lowerBound, min(range.upperBound, milliseconds))
            return UInt32((clamped * Double(max(1, clockRate)) / 1000).rounded())
        }
        self.settings = settings
        let (stamps, durations) = (
            UInt32(clamping: max(1, clockRate)), UInt32(clamping: max(1, durationClockRate ?? clockRate))
        )
        (self.clockRate, self.durationClockRate) = (stamps, durations)
        let longest = UInt32(clamping: 0xffff * UInt64(stamps) / UInt64(durations))
        digitUnits = min(longest, units(settings.digitMilliseconds, 40...60_000))
        pauseUnits = units(settings.pauseMilliseconds, 40...60_000)
        updateUnits = max(1, units(settings.updateMilliseconds, 10...50))
        volume = UInt8(max(0, min(63, -max(-63, settings.level))))
    }

    /// Puts digits in the queue.
    ///
    /// - Returns: false, and nothing queued, when a character is none of 0-9, *, #, A-D.
    public mutating func enqueue(_ digits: String) -> Bool {
        var codes: [UInt8] = []
        for digit in digits {
            guard let code = DTMFDigit.code(digit) else { return false }
            codes.append(code)
        }
        queue += codes
        return true
    }

    /// Goes on beside other audio; where its clock is another one, its time stamps count from 0. Not while a digit is on its
    /// way (`isSounding`).
    /// - Parameters:
    ///   - clockRate: clock of the audio in Hz.
    ///   - durationClockRate: clock of the events' payload type in Hz; `nil`: that of the audio.
    public mutating func change(clockRate: Int, durationClockRate: Int? = nil) {
        var next = TelephoneEventSender(clockRate: clockRate, durationClockRate: durationClockRate, settings: settings)
        next.queue = queue
        if case .pausing = state { next.state = next.clockRate == self.clockRate ? state : .pausing(until: next.pauseUnits) }
        self = next
    }

    /// Digits that are queued or being sent.
    public var pending: Int {
        switch state {
        case .idle, .pausing: queue.count
        case .sounding, .ending: queue.count + 1
        }
    }

    /// A digit is being sent: the caller sends no audio.
    public var isSounding: Bool {
        switch state {
        case .idle, .pausing: false
        case .sounding, .ending: true
        }
    }

    /// The packet that is due, if one is.
    ///
    /// - Parameter timestamp: clock units since the start of the stream, as for `RTPSender.packetize`.
    public mutating func poll(timestamp: UInt32) -> Packet? {
        switch state {
        case .pausing(let until):
            guard reached(until, at: timestamp) else { return nil }
            state = .idle
            return poll(timestamp: timestamp)
        case .idle:
            guard !queue.isEmpty else { return nil }
            let code = queue.removeFirst()
            state = .sounding(code: code, start: timestamp, next: timestamp &+ updateUnits)
            // The first packet already covers the interval it opens, so that its duration is not 0 (section 2.5.1.2).
            return packet(code, start: timestamp, duration: min(updateUnits, digitUnits), marker: true)
        case .sounding(let code, let start, let next):
            guard reached(next, at: timestamp) else { return nil }
            let elapsed = timestamp &- start
            guard elapsed >= digitUnits else {
                state = .sounding(code: code, start: start, next: timestamp &+ updateUnits)
                return packet(code, start: start, duration: min(elapsed &+ updateUnits, digitUnits))
            }
            state = .ending(code: code, start: start, next: timestamp &+ updateUnits, left: 2)
            return packet(code, start: start, duration: digitUnits, isEnd: true)
        case .ending(let code, let start, let next, let left):
            guard reached(next, at: timestamp) else { return nil }
            if left > 1 {
                state = .ending(code: code, start: start, next: timestamp &+ updateUnits, left: left - 1)
            } else {
                // The pause counts from the tone's end; its end packets may have filled it already.
                let pauseEnd = start &+ digitUnits &+ pauseUnits
                let next = timestamp &+ updateUnits
                state = .pausing(until: reached(pauseEnd, at: next) ? next : pauseEnd)
            }
            return packet(code, start: start, duration: digitUnits, isEnd: true)
        }
    }

    /// - `duration`: in units of time stamps.
    private func packet(
        _ code: UInt8, start: UInt32, duration: UInt32, marker: Bool = false, isEnd: Bool = false
    ) -> Packet {
        let counted = UInt64(duration) * UInt64(durationClockRate) / UInt64(clockRate)
        let payload = TelephoneEventPayload(code: code, isEnd: isEnd, volume: volume, duration: UInt16(clamping: counted))
        var bytes: [UInt8] = []
        bytes.appendBigEndian(payload.word)
        return Packet(payload: bytes, timestamp: start, marker: marker)
    }

    /// Wrap-safe `timestamp` >= `instant`.
    private func reached(_ instant: UInt32, at timestamp: UInt32) -> Bool {
        Int32(bitPattern: timestamp &- instant) >= 0
    }
}
