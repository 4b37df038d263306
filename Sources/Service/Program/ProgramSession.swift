import AudioDevices
import NIOCore
import NIOWebSocket
import Realtime

/// One connection with a program, whoever made it, from its start to its end.
final class ProgramSession: Sendable {
    typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    private typealias Writer = NIOAsyncChannelOutboundWriter<WebSocketFrame>
    struct Refused: Error, CustomStringConvertible {
        let description: String
        /// What the program is told.
        var code = WebSocketErrorCode.policyViolation
    }

    private struct State {
        var speaker: any ProgramSpeaker
        /// Wakes whoever writes to the program; `nil`: it has not begun, or is over.
        var bell: AsyncStream<Void>.Continuation?
        var isOver = false
        var lastHeard = HostTime.monotonicNow()
        var hasSpoken = false
        /// The program has said that it is over.
        var hasLeft = false
        var marks = MarksOnTheWay()
        /// Keys of the other side's that it is to be told.
        var digits: [Character] = []
        var wantsPing = true
        /// When the last ping left; `nil`: its answer is here.
        var pinged: HostTime?
    }

    private let port: any ProgramPort
    /// Whether frames are masked: a client's are (RFC 6455 section 5.1).
    private let masks: Bool
    private let farEnd: @Sendable () -> FarEnd
    private let sendDigits: @Sendable (String) -> Void
    private let state: Lock<State>

    /// A program that sent nothing, not even a pong, for so long is gone, ms.
    private static let silenceMilliseconds = 15_000.0
    private static let pingSeconds = 5
    /// Who says more than there is room for is listened to more slowly.
    private static let floodPause = Duration.milliseconds(20)
    private static let mostDigits = 64

    /// - Parameters:
    ///   - farEnd: how long sound takes to the other side's ear, as it is known now.
    ///   - sendDigits: sends keys into the call.
    init(
        _ port: any ProgramPort, _ speaker: any ProgramSpeaker, masks: Bool, farEnd: @escaping @Sendable () -> FarEnd,
        sendDigits: @escaping @Sendable (String) -> Void
    ) {
        (self.port, self.masks, self.farEnd, self.sendDigits) = (port, masks, farEnd, sendDigits)
        state = Lock(State(speaker: speaker))
    }

    /// Whether there was sound from it.
    var hasSpoken: Bool { state.withLock { $0.hasSpoken } }

    /// Says goodbye, in the background.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.bell?.finish()
        }
    }

    /// A key of the other side's.
    func hear(digit: Character) {
        state.withLock { state in
            guard state.digits.count < Self.mostDigits else { return }
            state.digits.append(digit)
            state.bell?.yield()
        }
    }

    /// Ends a connection over which nothing is to be said.
    /// - Parameter masks: whether our side is the client.
    static func refuse(_ socket: Socket, masks: Bool) async throws {
        socket.channel.sayClose(.goingAway, masks: masks)
        try await socket.channel.close().get()
    }

    /// Talks until a side ends it.
    /// - Throws: why it ended otherwise.
    func run(_ socket: Socket) async throws {
        let (rings, bell) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let goesOn = state.withLock { state in
            (state.bell, state.lastHeard) = (bell, .monotonicNow())
            return !state.isOver
        }
        guard goesOn else { return try await Self.refuse(socket, masks: masks) }
        port.setBell { bell.yield() }
        defer { port.setBell(nil) }
        let channel = socket.channel
        try await socket.executeThenClose { inbound, outbound in
            for message in state.withLock({ $0.speaker.begin() }) { try await outbound.write(frame(message)) }
            bell.yield()
            do {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { [self] in
                        for try await frame in inbound {
                            state.withLock { $0.lastHeard = .monotonicNow() }
                            guard try await take(frame, outbound) else { return }
                            // Marks that were cleared come back at once.
                            bell.yield()
                        }
                    }
                    tasks.addTask { [self] in
                        for await _ in rings {
                            try await send(outbound)
                            guard let next = state.withLock({ $0.marks.next }) else { continue }
                            let wait = max(0, next.milliseconds(since: .monotonicNow()))
                            channel.eventLoop.scheduleTask(in: .microseconds(Int64(wait * 1000))) { bell.yield() }
                        }
                        // Where the program has left, both have said that it is over.
                        guard !state.withLock({ $0.hasLeft }) else { return }
                        try await sayGoodbye(outbound)
                    }
                    tasks.addTask { [self] in try await watch(bell) }
                    // Whichever ends first ends all.
                    defer { tasks.cancelAll() }
                    try await tasks.next()
                }
            } catch {
                if let code = Self.code(of: error) { channel.sayClose(code, masks: masks) }
                throw error
            }
        }
    }

    /// What a program is told that ends by an error; `nil`: nothing, for the connection is broken, or the service ends.
    private static func code(of error: any Error) -> WebSocketErrorCode? {
        if let refused = error as? Refused { return refused.code }
        guard let error = error as? NIOWebSocketFrameAggregator.Error else { return nil }
        switch error {
        case .accumulatedFrameSizeIsTooLarge, .tooManyFragments: return .messageTooLarge
        default: return .protocolError
        }
    }

    // MARK: From the program

    /// - Returns: whether the program stays.
    private func take(_ frame: WebSocketFrame, _ outbound: Writer) async throws -> Bool {
        let data = frame.unmaskedData
        switch frame.opcode {
        case .binary: return try await take(.binary(Array(data.readableBytesView)), outbound)
        case .text: return try await take(.text(String(decoding: data.readableBytesView, as: UTF8.self)), outbound)
        case .ping: try await outbound.write(control(.pong, data))
        case .pong: notePong()
        case .connectionClose:
            state.withLock { $0.hasLeft = true }
            // It waits for ours, with its own code, if it gave one (RFC 6455 section 5.5.1).
            let code = data.readableBytes < 2 ? nil : data.getSlice(at: data.readerIndex, length: 2)
            try? await outbound.write(control(.connectionClose, code ?? ByteBuffer()))
            return false
        // RFC 6455 section 5.2: an opcode that nobody knows fails the connection.
        default: throw Refused(description: "it sends frames of a kind that nobody knows", code: .protocolError)
        }
        return true
    }

    private func take(_ message: ProgramMessage, _ outbound: Writer) async throws -> Bool {
        switch state.withLock({ $0.speaker }).understand(message) {
        case .say(let samples):
            state.withLock { $0.hasSpoken = true }
            if !port.say(samples) { try await Task.sleep(for: Self.floodPause) }
        case .clear: port.clear()
        case .mark(let name):
            guard port.mark(name) else { throw Refused(description: "it has too many marks on the way") }
        case .digits(let digits): sendDigits(digits)
        case .stop:
            state.withLock { $0.hasLeft = true }
            try? await outbound.write(.close(.normalClosure, masks: masks))
            return false
        case nil: logger.debug("a program says what cannot be understood")
        }
        return true
    }

    private func notePong() {
        let roundTrip = state.withLock { state in state.pinged.take().map { HostTime.monotonicNow().milliseconds(since: $0) } }
        if let roundTrip { port.setDistance(milliseconds: roundTrip / 2) }
    }

    /// Pings, and ends it when nothing comes any more. Nothing holds it up: not even a program that does not read.
    private func watch(_ bell: AsyncStream<Void>.Continuation) async throws {
        while true {
            try await Task.sleep(for: .seconds(Self.pingSeconds))
            let silence = state.withLock { state in
                state.wantsPing = true
                return HostTime.monotonicNow().milliseconds(since: state.lastHeard)
            }
            guard silence < Self.silenceMilliseconds else { throw Refused(description: "it has been silent for 15 s") }
            bell.yield()
        }
    }

    // MARK: To the program

    /// Sends what there is: marks that were heard, keys, sound.
    private func send(_ outbound: Writer) async throws {
        let reached = port.takeReached()
        let farEnd = reached.contains { $0.time != nil } ? self.farEnd() : nil
        let (messages, pings) = state.withLock { state -> ([ProgramMessage], Bool) in
            var heard: [HeardMark] = []
            for mark in reached {
                if let time = mark.time, let farEnd {
                    state.marks.add(mark.name, at: time, farEnd)
                } else {
                    heard.append(HeardMark(name: mark.name, delayMilliseconds: nil, isMeasured: true))
                }
            }
            heard = state.marks.take(at: .monotonicNow()) + heard
            var messages = heard.map { state.speaker.mark($0) }
            messages += state.digits.map { state.speaker.digit($0) }
            state.digits = []
            while let packet = port.next() {
                messages += state.speaker.sound(inbound: packet.inbound, outbound: packet.outbound)
            }
            defer { state.wantsPing = false }
            if state.wantsPing { state.pinged = .monotonicNow() }
            return (messages, state.wantsPing)
        }
        for message in messages { try await outbound.write(frame(message)) }
        if pings { try await outbound.write(control(.ping, ByteBuffer())) }
    }

    private func sayGoodbye(_ outbound: Writer) async throws {
        try await outbound.write(frame(state.withLock { $0.speaker.end() }))
        try await outbound.write(.close(.normalClosure, masks: masks))
    }

    private func frame(_ message: ProgramMessage) -> WebSocketFrame {
        switch message {
        case .binary(let bytes): control(.binary, ByteBuffer(bytes: bytes))
        case .text(let text): control(.text, ByteBuffer(string: text))
        }
    }

    private func control(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: masks ? .random() : nil, data: data)
    }
}
