import Glibc
import Realtime
import SignallingTransport
import TestPrograms

/// A name server on loopback that answers out of a zone, and does not answer at all for names in `silent`.
final class TestNameServer: Sendable {
    private let server: DatagramServer
    private let zone: Lock<Zone>
    private let asked = Lock(0)
    private let silent: Set<String>

    init(_ zone: Zone, silent: Set<String> = []) throws {
        self.zone = Lock(zone)
        self.silent = silent
        server = try DatagramServer()
    }

    var setting: String { "127.0.0.1:\(server.port)" }
    var questions: Int { asked.withLock { $0 } }

    func change(_ question: DNSQuestion, to answer: DNSAnswer) { zone.withLock { $0[question] = answer } }

    /// Answers until the task is cancelled.
    func serve() async {
        await server.serve { query, _ in
            guard query.count > 12 else { return nil }
            self.asked.withLock { $0 += 1 }
            return self.reply(to: query)
        }
    }

    /// nil: silence.
    private func reply(to query: [UInt8]) -> [UInt8]? {
        var labels: [String] = []
        var index = 12
        while index < query.count, query[index] != 0 {
            let end = index + 1 + Int(query[index])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[index + 1..<end], as: UTF8.self))
            index = end
        }
        guard index + 4 < query.count else { return nil }
        let name = labels.joined(separator: ".").lowercased()
        if silent.contains(name) { return nil }
        let type = Int(query[index + 1]) << 8 | Int(query[index + 2])
        let records = records(name, type)
        // The question again, with flags: an answer, recursion available, and NXDOMAIN for what is not there.
        var code: UInt8 = records == nil ? 3 : 0
        if case .failed? = zone.withLock({ $0[type == 35 ? .naptr(name) : .srv(name)] }) { code = 5 }
        var reply = Array(query[0..<2]) + [0x85, 0x80 | code, 0, 1] + word(records?.count ?? 0) + [0, 0, 0, 0]
        reply += query[12..<index + 5]
        for record in records ?? [] {
            // The name by a pointer to the question, type, class, 60 s to live.
            reply += [0xc0, 12] + word(type) + [0, 1, 0, 0, 0, 60] + word(record.count) + record
        }
        return reply
    }

    private func records(_ name: String, _ type: Int) -> [[UInt8]]? {
        let zone = zone.withLock { $0 }
        switch type {
        case 1, 28:
            guard case .addresses(let list)? = zone[.addresses(name)] else { return nil }
            return list.filter { $0.contains(":") == (type == 28) }.map { numeric($0, isV6: type == 28) }
        case 33:
            guard case .srv(let list)? = zone[.srv(name)] else { return nil }
            return list.map { word(Int($0.priority)) + word(Int($0.weight)) + word(Int($0.port)) + labels($0.target) }
        case 35:
            guard case .naptr(let list)? = zone[.naptr(name)] else { return nil }
            return list.map {
                word(Int($0.order)) + word(Int($0.preference)) + text($0.flags) + text($0.service) + text("")
                    + labels($0.replacement)
            }
        default: return nil
        }
    }

    private func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    private func text(_ value: String) -> [UInt8] { [UInt8(value.utf8.count)] + value.utf8 }

    private func labels(_ name: String) -> [UInt8] { name.split(separator: ".").flatMap { text(String($0)) } + [0] }

    private func numeric(_ address: String, isV6: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
        inet_pton(isV6 ? AF_INET6 : AF_INET, address, &bytes)
        return bytes
    }
}
