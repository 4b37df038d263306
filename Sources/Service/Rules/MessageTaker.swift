import Glibc

/// What is said to a caller, and what is kept of what he says: a greeting, a beep, then a recording that silence, a key or its length
/// ends; or an announcement alone. It knows neither clock nor file: packets of sound move it on.
package struct MessageTaker: Sendable {
    package enum Step: Sendable, Equatable {
        /// To be said behind what was said before.
        case say([Float])
        /// To be told by `spoken` once everything said until now has been heard.
        case mark
        /// To be kept.
        case keep([Float])
        /// There is nothing more to be done: the call is to end.
        case over
    }

    private enum Phase { case waiting, speaking, listening, leaving, over }

    /// Seconds of silence that end a message.
    package static let silenceSeconds = 5.0
    /// Seconds of sound below which nobody has said anything.
    package static let leastSeconds = 0.3
    /// Root of the mean square below which a packet is silence: -50 dBov.
    private static let threshold: Float = 0.00316
    /// Seconds from the last word of an announcement to the end: it is still on its way.
    private static let tailSeconds = 0.4
    private static let beep = (hertz: 440.0, seconds: 0.3, level: 0.25)

    private let rate: Int
    private var greeting: [Float]
    private let takesMessage: Bool
    private let longestSeconds: Double
    private var phase = Phase.waiting
    private var silent = 0
    private var kept = 0
    private var loud = 0
    private var tail = 0

    /// - Parameters:
    ///   - rate: in Hz.
    ///   - greeting: what is said; may be empty.
    ///   - takesMessage: else it is an announcement.
    ///   - longestSeconds: of a message.
    package init(rate: Int, greeting: [Float], takesMessage: Bool, longestSeconds: Double) {
        (self.rate, self.greeting, self.takesMessage) = (rate, greeting, takesMessage)
        self.longestSeconds = longestSeconds
    }

    /// The caller can hear.
    package mutating func begin() -> [Step] {
        guard phase == .waiting else { return [] }
        phase = .speaking
        defer { greeting = [] }
        return [.say(takesMessage ? greeting + Self.tone(rate) : greeting), .mark]
    }

    /// Everything has been said.
    package mutating func spoken() {
        guard phase == .speaking else { return }
        phase = takesMessage ? .listening : .leaving
    }

    /// A packet of what the caller says.
    package mutating func hear(_ packet: [Float]) -> [Step] {
        switch phase {
        case .waiting, .speaking, .over: return []
        case .leaving:
            tail += packet.count
            return seconds(tail) < Self.tailSeconds ? [] : end()
        case .listening: break
        }
        let power = packet.reduce(0) { $0 + $1 * $1 } / Float(max(packet.count, 1))
        let isSilent = power.squareRoot() < Self.threshold
        silent = isSilent ? silent + packet.count : 0
        if !isSilent { loud += packet.count }
        kept += packet.count
        let isOver = seconds(silent) >= Self.silenceSeconds || seconds(kept) >= longestSeconds
        return [.keep(packet)] + (isOver ? end() : [])
    }

    /// The caller pressed a key: `#` ends his message; the greeting is said to its end.
    package mutating func key(_ key: String) -> [Step] {
        guard key == "#", phase == .listening else { return [] }
        return end()
    }

    private mutating func end() -> [Step] {
        phase = .over
        return [.over]
    }

    private func seconds(_ samples: Int) -> Double { Double(samples) / Double(rate) }

    /// What was kept, s; `nil`: nobody said anything.
    package var messageSeconds: Double? { seconds(loud) >= Self.leastSeconds ? seconds(kept) : nil }

    private static func tone(_ rate: Int) -> [Float] {
        let count = Int(beep.seconds * Double(rate))
        let fade = max(rate / 100, 1)
        return (0..<count).map { index in
            let edge = Double(min(index, count - index, fade)) / Double(fade)
            return Float(beep.level * edge * sin(2 * .pi * beep.hertz * Double(index) / Double(rate)))
        }
    }
}
