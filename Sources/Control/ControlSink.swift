import Glibc
import Realtime
import Reporting
import Terminal
import WebClient

/// Where an answer goes: a stream of events and a file as they come, JSON and errors when they are whole.
final class ControlSink: Sendable {
    private struct State {
        var text: [UInt8] = []
        /// Of an event that has begun.
        var line: [UInt8] = []
        var failure: String?
    }

    /// Of what is not JSON, or an error, no more is kept.
    private static let limit = 64 << 20

    private let state = Lock(State())
    private let path: String?
    private let descriptor: Int32?
    private let isJSON: Bool

    init(path: String?, isJSON: Bool) throws(ControlError) {
        (self.path, self.isJSON) = (path, isJSON)
        descriptor = path.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
        if let path, let descriptor, descriptor < 0 {
            throw .usage("\(path) cannot be written (\(String(cString: strerror(errno)))), in --out; name another file")
        }
    }

    deinit { if let descriptor, descriptor >= 0 { close(descriptor) } }

    /// A part of the body.
    func take(_ status: Int, _ part: [UInt8]) {
        state.withLock { state in
            if (200..<300).contains(status), let descriptor {
                if !Self.write(part, to: descriptor) { state.failure = String(cString: strerror(errno)) }
                return
            }
            if state.text.count < Self.limit { state.text += part }
            guard state.text.starts(with: Array("id:".utf8)) || state.text.starts(with: Array("event:".utf8)) else { return }
            // Server-sent events never end by themselves.
            state.line += part
            while let end = state.line.firstIndex(of: 10) {
                let line = state.line[..<end]
                if line.starts(with: Array("data: ".utf8)) {
                    Output.standard.line(String(decoding: line.dropFirst(6), as: UTF8.self))
                }
                state.line.removeSubrange(...end)
            }
            state.text = Array("id:".utf8)
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    /// The answer is whole.
    func finish(_ answer: WebClient.Answer) throws(ControlError) {
        let (text, failure) = state.withLock { ($0.text, $0.failure) }
        if let failure, let path { throw .failed("\(path) cannot be written (\(failure)), in --out") }
        let kind = answer.headers["content-type"] ?? ""
        guard (200..<300).contains(answer.status) || kind.hasPrefix("application/json") else {
            let problem = try? JSONDocument(reading: text).value
            if case .string(let title)? = problem?.value(at: "title"), case .string(let detail)? = problem?.value(at: "detail")
            {
                throw ControlError(status: answer.status, "\(title) (\(answer.status)): \(detail)")
            }
            throw ControlError(status: answer.status, "the service answered \(answer.status)")
        }
        guard descriptor == nil, !text.isEmpty, !kind.hasPrefix("text/event-stream") else { return }
        guard kind.hasPrefix("application/json"), let value = try? JSONDocument(reading: text).value else {
            if kind.hasPrefix("text/") { return Output.standard.write(String(decoding: text, as: UTF8.self)) }
            _ = Self.write(text, to: STDOUT_FILENO)
            return
        }
        for line in isJSON ? [value.text] : ControlText.lines(value) { Output.standard.line(line) }
        // Such as /readyz.
        guard (200..<300).contains(answer.status) else {
            throw ControlError(status: answer.status, "the service answered \(answer.status)")
        }
    }
}
