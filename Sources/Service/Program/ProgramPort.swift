import AudioDevices
import Media
import Realtime

/// What is at the call's side of a program's connection.
protocol ProgramPort: Sendable {
    /// Called when there is something to send; short, please.
    func setBell(_ bell: (@Sendable () -> Void)?)
    /// The next packet of 20 ms; `nil`: not yet. For one task.
    func next() -> (inbound: [Float]?, outbound: [Float]?)?
    /// - Returns: whether there was room for all of it.
    func say(_ samples: [Float]) -> Bool
    func clear()
    /// - Returns: whether there was room for it.
    func mark(_ name: String) -> Bool
    func takeReached() -> [SoundExchange.Reached]
    /// One way between here and the program, ms.
    func setDistance(milliseconds: Double)
}

/// Where a program is the audio end of a call: it talks and listens.
struct TalkingPort: ProgramPort {
    let exchange: SoundExchange

    func setBell(_ bell: (@Sendable () -> Void)?) { exchange.setBell(bell) }
    func next() -> (inbound: [Float]?, outbound: [Float]?)? { exchange.takeHeard().map { ($0, nil) } }
    func say(_ samples: [Float]) -> Bool {
        let before = exchange.losses.flooded
        exchange.say(samples, at: .monotonicNow())
        return exchange.losses.flooded == before
    }
    func clear() { exchange.clear() }
    func mark(_ name: String) -> Bool { exchange.mark(name) }
    func takeReached() -> [SoundExchange.Reached] { exchange.takeReached() }
    func setDistance(milliseconds: Double) { exchange.setDistance(milliseconds: milliseconds) }
}

/// Where a program listens beside a call. What it says is nothing to anybody; `mark` and `clear` are answered at once.
///
/// Sendable: bell and marks are behind locks; the rest that changes is the sending task's alone.
final class ListeningPort: ProgramPort, @unchecked Sendable {
    private let tap: CallTap
    private let format: ProgramFormat
    private let track: ProgramTrack
    /// A function that stands in a lock by itself is wrapped anew each time it is taken out.
    private struct Bell { var ring: (@Sendable () -> Void)? }
    private let bell = Lock(Bell())
    private let marks = Lock<[SoundExchange.Reached]>([])
    // The sending task's.
    private var listener: CallListener?
    private var rate = 0
    private var converters: (sent: FixedRatio?, heard: FixedRatio?) = (nil, nil)
    private var sent: [Float] = []
    private var heard: [Float] = []

    init(_ tap: CallTap, _ format: ProgramFormat, _ track: ProgramTrack) {
        (self.tap, self.format, self.track) = (tap, format, track)
    }

    deinit { if let listener { tap.leave(listener) } }

    func setBell(_ bell: (@Sendable () -> Void)?) { self.bell.withLock { $0.ring = bell } }

    func next() -> (inbound: [Float]?, outbound: [Float]?)? {
        let listener =
            self.listener ?? tap.join { [weak self] in self?.bell.withLock { $0 }.ring?() }
        self.listener = listener
        while let sound = listener.take() { take(sound) }
        guard min(sent.count, heard.count) >= format.frame else { return nil }
        let (outbound, inbound) = (Array(sent.prefix(format.frame)), Array(heard.prefix(format.frame)))
        sent.removeFirst(format.frame)
        heard.removeFirst(format.frame)
        switch track {
        case .inbound: return (inbound, nil)
        case .outbound: return (nil, outbound)
        case .both: return (inbound, outbound)
        case .mixed: return (nil, zip(inbound, outbound).map { $0 + $1 })
        }
    }

    private func take(_ sound: CallListener.Sound) {
        if sound.sampleRate != rate {
            rate = sound.sampleRate
            converters = (
                try? FixedRatio(from: rate, to: format.sampleRate), try? FixedRatio(from: rate, to: format.sampleRate)
            )
        }
        convert(sound.sent, converters.sent, &sent)
        convert(sound.heard, converters.heard, &heard)
        // Both come from one clock; a filter may hold back a sample more on one side.
        let most = 2 * format.sampleRate
        if sent.count > most { sent.removeFirst(sent.count - most) }
        if heard.count > most { heard.removeFirst(heard.count - most) }
    }

    private func convert(_ samples: [Float], _ converter: FixedRatio?, _ output: inout [Float]) {
        guard let converter else {
            output += samples
            return
        }
        samples.withUnsafeBufferPointer { converter.process($0, into: &output) }
    }

    func say(_ samples: [Float]) -> Bool { true }
    func clear() {}
    func mark(_ name: String) -> Bool {
        marks.withLock { marks in
            guard marks.count < SoundExchange.markLimit else { return false }
            marks.append(SoundExchange.Reached(name: name, time: nil))
            return true
        }
    }
    func takeReached() -> [SoundExchange.Reached] {
        marks.withLock { marks in
            defer { marks = [] }
            return marks
        }
    }
    func setDistance(milliseconds: Double) {}
}
