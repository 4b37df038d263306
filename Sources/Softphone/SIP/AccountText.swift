import Reporting
import Signalling

extension AccountSettings {
    /// For programs: who, and by which way.
    package var json: JSONValue {
        .object([
            JSONMember("account", .string(name)), JSONMember("uri", .string(uri)),
            JSONMember("registrar", registrar.map { .string($0) } ?? .null),
            JSONMember("outbound_proxy", outboundProxy.map { .string($0) } ?? .null),
            JSONMember("transport", transport.map { .string($0) } ?? .null),
        ])
    }

    /// For people, in one line.
    package var text: String {
        let ways = [registrar.map { "at \($0)" }, outboundProxy.map { "through \($0)" }, transport.map { "by \($0)" }]
        return ([name, uri] + ways.compactMap(\.self)).joined(separator: "  ")
    }
}

extension AccountCheck {
    /// For programs: every step, and what came of it all.
    package func json(of account: String) -> JSONValue {
        .object([
            JSONMember("outcome", .string(outcome.rawValue)),
            JSONMember("seen_address", seenAddress.map { .string($0) } ?? .null),
            JSONMember("steps", .array(steps.map { $0.json(of: account) })),
        ])
    }
}

extension AccountCheck.Step {
    /// For programs: what was tried, and what came of it.
    package func json(of account: String) -> JSONValue {
        .object([
            JSONMember("account", .string(account)), JSONMember("step", .string(name)),
            JSONMember("passed", .boolean(passed)), JSONMember("detail", .string(detail)),
            JSONMember("ms", milliseconds.map { .number($0, decimals: 1) } ?? .null),
        ])
    }

    /// For people, in one line.
    package var text: String {
        let time = milliseconds.map { " (\(Text.fixed($0, 0)) ms)" } ?? ""
        let padding = String(repeating: " ", count: max(1, 13 - name.count))
        return "  \(passed ? "ok    " : "failed")  \(name)\(padding)\(detail)\(time)"
    }
}
