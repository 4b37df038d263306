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
        var failure: ControlError?
    }

    /// Of what is not JSON, or an error, no more is kept.
    private static let limit = 64 << 20

    private let state = Lock(State())
    private let file: AnswerFile?
    private let isJSON: Bool

    /// - Parameters:
    ///   - file: of `--out`; `nil`: what is answered is printed.
    ///   - isJSON: as it comes, and not as lines for people.
    init(_ file: AnswerFile?, isJSON: Bool) { (self.file, self.isJSON) = (file, isJSON) }

    /// A part of the body.
    func take(_ status: Int, _ part: [UInt8]) {
        state.withLock { state in
            if (200..<300).contains(status), let file {
                guard state.failure == nil else { return }
                do throws(ControlError) {
                    try file.write(part)
                    // Nobody waits for the end of what has none.
                    if Self.areEvents(part) { try file.finish() }
                } catch { state.failure = error }
                return
            }
            if state.text.count < Self.limit { state.text += part }
            guard Self.areEvents(state.text) else { return }
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

    /// Server-sent events never end by themselves.
    private static func areEvents(_ text: [UInt8]) -> Bool {
        text.starts(with: Array("id:".utf8)) || text.starts(with: Array("event:".utf8))
    }

    /// The answer is whole.
    func finish(_ answer: WebClient.Answer) throws(ControlError) {
        let (text, failure) = state.withLock { ($0.text, $0.failure) }
        if let failure { throw failure }
        let kind = answer.headers["content-type"] ?? ""
        guard (200..<300).contains(answer.status) || kind.hasPrefix("application/json") else {
            let problem = try? JSONDocument(reading: text).value
            if case .string(let title)? = problem?.value(at: "title"), case .string(let detail)? = problem?.value(at: "detail")
            {
                throw ControlError(status: answer.status, "\(title) (\(answer.status)): \(detail)")
            }
            throw ControlError(status: answer.status, "the service answered \(answer.status)")
        }
        if (200..<300).contains(answer.status), let file { return try file.finish() }
        guard !text.isEmpty, !kind.hasPrefix("text/event-stream") else { return }
        guard kind.hasPrefix("application/json"), let value = try? JSONDocument(reading: text).value else {
            if kind.hasPrefix("text/") { return Output.standard.write(String(decoding: text, as: UTF8.self)) }
            guard !AnswerFile.write(text, to: STDOUT_FILENO), let complaint = Output.complaint(errno) else { return }
            throw .usage(complaint)
        }
        for line in isJSON ? [value.text] : ControlText.lines(value) { Output.standard.line(line) }
        // Such as /readyz.
        guard (200..<300).contains(answer.status) else {
            throw ControlError(status: answer.status, "the service answered \(answer.status)")
        }
    }
}
