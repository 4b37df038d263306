import AudioDevices
import AudioFiles
import AudioUnits
import Realtime
import Softphone

/// A machine as the audio end of one call: it says something, and may take a message into a file.
///
/// ```
/// call <-> VirtualDevice <-> SoundExchange <-> Attendant: MessageTaker decides, a file takes what is kept
/// ```
package final class Attendant: Sendable, Equatable {
    /// What came of it.
    package enum Outcome: Sendable, Equatable {
        case announced
        /// Seconds of the message.
        case message(seconds: Double)
        /// The caller said nothing, or the file could not be written.
        case nothing
    }

    private struct State {
        var taker: MessageTaker
        var hasEnded = false
    }

    /// Wideband is enough for speech.
    package static let rate = 16_000
    /// Longest greeting or announcement, s.
    package static let longestSeconds = 300.0
    /// Said ahead of time, s.
    private static let ahead = 2.0

    package let takesMessage: Bool
    /// What is said, which others may be saying too; `nil`: nothing.
    private let greeting: SharedSamples?
    private let path: String?
    private let hasRoom: @Sendable () -> Bool
    private let exchange = SoundExchange(sampleRate: Attendant.rate)
    private let state: Lock<State>
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - greeting: what is said, at `rate`; `nil`: nothing.
    ///   - message: where what the caller says is kept, a WAV file; `nil`: it is an announcement.
    ///   - longestSeconds: of a message.
    ///   - hasRoom: whether a message may go on; asked once a second.
    package init(
        greeting: SharedSamples?, message path: String?, longestSeconds: Double,
        hasRoom: @escaping @Sendable () -> Bool = { true }
    ) {
        takesMessage = path != nil
        (self.path, self.greeting, self.hasRoom) = (path, greeting, hasRoom)
        state = Lock(
            State(
                taker: MessageTaker(
                    rate: Self.rate, greeting: greeting?.samples ?? [], takesMessage: path != nil,
                    longestSeconds: longestSeconds)))
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package static func == (left: Attendant, right: Attendant) -> Bool { left === right }

    /// What a file says.
    /// - Parameter path: the file.
    /// - Returns: its sound, which other attendants share.
    /// - Throws: why it cannot be said.
    package static func greeting(_ path: String) throws(Problem) -> SharedSamples {
        do throws(AudioFileError) {
            return try SharedSamples.whole(path: path, rate: rate, maximumSeconds: longestSeconds)
        } catch { throw .conflict(error.explanation) }
    }

    /// What the call's media are told in place of a device.
    var device: DeviceSpecification { .other(AnyNamedDevice(AttendantSound(exchange: exchange))) }

    /// Works from now on.
    /// - Parameters:
    ///   - onOver: the call is to end.
    ///   - onEnd: is told what came of it, once the call is over.
    func start(onOver: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable (Outcome) -> Void) {
        exchange.setBell { [bell] in bell.yield() }
        Task { [self] in onEnd(await work(onOver)) }
    }

    /// The caller can hear.
    func begin() { take(state.withLock { $0.taker.begin() }) }

    /// The caller pressed a key.
    func key(_ key: String) { take(state.withLock { $0.taker.key(key) }) }

    /// The call is over.
    func finish() {
        state.withLock { $0.hasEnded = true }
        bell.yield()
    }

    private let steps = Lock<[MessageTaker.Step]>([])

    private func take(_ new: [MessageTaker.Step]) {
        steps.withLock { $0 += new }
        bell.yield()
    }

    private func work(_ onOver: @Sendable () -> Void) async -> Outcome {
        var writer: AudioFileWriter?
        // Samples until it is looked whether there is room; one that cannot be kept, or has ended, is looked after no more.
        var (untilLook, isLost, isCut) = (0, false, false)
        var waiting: ArraySlice<Float> = []
        var wantsMark = false
        for await _ in rings {
            if exchange.takeReached().isEmpty == false { state.withLock { $0.taker.spoken() } }
            while let packet = exchange.takeHeard() {
                let heard = state.withLock { $0.taker.hear(packet) }
                steps.withLock { $0 += heard }
            }
            let due = steps.withLock { steps in
                defer { steps = [] }
                return steps
            }
            for step in due {
                switch step {
                case .say(let samples): if waiting.isEmpty { waiting = samples[...] } else { waiting += samples }
                case .mark: wantsMark = true
                case .keep(let packet):
                    if untilLook <= 0 {
                        untilLook = Self.rate
                        if !isCut, !hasRoom() {
                            isCut = true
                            onOver()
                        }
                    }
                    untilLook -= packet.count
                    if isLost { continue }
                    do throws(AudioFileError) {
                        if writer == nil { writer = try open() }
                        try writer?.write(packet)
                    } catch {
                        isLost = true
                        logger.error("a message cannot be kept: \(error.reason), \(error.path)")
                    }
                case .over: onOver()
                }
            }
            if !waiting.isEmpty, exchange.aheadSeconds < Self.ahead {
                exchange.say(Array(waiting.prefix(Self.rate * 10)), at: .monotonicNow())
                waiting = waiting.dropFirst(Self.rate * 10)
            }
            if wantsMark, waiting.isEmpty {
                wantsMark = false
                _ = exchange.mark("spoken")
            }
            if state.withLock({ $0.hasEnded }) { break }
        }
        exchange.setBell(nil)
        let failure = writer?.finish()
        let seconds = state.withLock { $0.taker.messageSeconds }
        guard takesMessage else { return .announced }
        guard writer != nil, failure == nil, let seconds else { return .nothing }
        return .message(seconds: seconds)
    }

    private func open() throws(AudioFileError) -> AudioFileWriter? {
        guard let path else { return nil }
        return try AudioFileWriter(path: path, sampleRate: Self.rate, format: .wav)
    }
}

/// The attendant in place of microphone and loudspeaker.
private struct AttendantSound: NamedDevice {
    let exchange: SoundExchange
    let name = "attendant:" + String(UInt64.random(in: 0 ... .max), radix: 16)

    func makeDevice(_ options: DeviceOptions) throws(DeviceError) -> any HardwareDevice {
        VirtualDevice(exchange, identifier: name, options: options)
    }
}
