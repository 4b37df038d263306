import Glibc
import SIP

/// Finds the servers of a URI, RFC 3263, without asking anybody itself: it says which questions to ask, takes the
/// answers in any order, and ends with the hops in the order in which they are to be tried.
///
/// NAPTR and SRV records are asked for at once, so that a domain without NAPTR costs no round trip more. Where the URI names a port,
/// or a host without a domain, there are none. Without records, or where a name server refuses to look for them, the domain's
/// own addresses are taken; silence at SRV says nothing of the domain: it is asked again once, and then the look-up fails.
public struct ServerLocator: Sendable {
    public enum Step: Hashable, Sendable {
        /// Ask these, and wait for those that were asked before.
        case ask([DNSQuestion])
        case found([ServerHop])
        case failed(LocationFailure)
    }

    /// SRV records that are followed, and hops that come out, at most: a zone may hold thousands.
    public static let maximumTargets = 16
    public static let maximumHops = 32

    private enum Stage: Sendable {
        case services
        /// SRV names out of NAPTR records that were not asked for at once.
        case replacements([(transport: SignallingProtocol, name: String)])
        case hosts
    }

    private struct Target: Sendable {
        var transport: SignallingProtocol
        var host: String
        var port: UInt16
        /// Of its SRV record's priority, counted through all names.
        var rank = 0
    }

    private let query: ServerQuery
    /// Without brackets and without the dot at the end.
    private let host: String
    /// What this side has sockets for, the most wanted first.
    private let transports: [SignallingProtocol]
    private let usesV4: Bool
    private let usesV6: Bool
    private var stage = Stage.services
    private var open: Set<DNSQuestion> = []
    private var answers: [DNSQuestion: DNSAnswer] = [:]
    private var targets: [Target] = []
    /// Whether what was not answered in time was asked again.
    private var hasAskedAgain = false

    /// - Parameter transports: enabled ones, the most wanted first; that order counts where DNS gives none.
    public init(
        _ query: ServerQuery, transports: [SignallingProtocol] = [.udp, .tcp, .tls], usesV4: Bool = true,
        usesV6: Bool = true
    ) {
        self.query = query
        var host = query.host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        while host.hasSuffix("."), host.utf8.count > 1 { host.removeLast() }
        self.host = host
        self.transports = transports.filter { !query.isSecure || $0 == .tls }
        self.usesV4 = usesV4
        self.usesV6 = usesV6
    }

    /// The first step.
    public mutating func start(random: inout some RandomNumberGenerator) -> Step {
        if query.isSecure && query.transport == .udp { return .failed(.notSecure) }
        guard !transports.isEmpty else { return .failed(.unsupported(host)) }
        let wanted = wantedTransport
        if let wanted, !transports.contains(wanted) { return .failed(.unsupported(host)) }
        if Self.isNumeric(host) {
            let transport = wanted ?? fallback
            return finish([(Target(transport: transport, host: host, port: query.port ?? transport.defaultPort), [host])])
        }
        // A name without a dot only this network knows: no zone has services of it, and whom such questions are passed on to may never
        // answer.
        if query.port != nil || !host.contains(".") {
            let transport = wanted ?? fallback
            targets = [Target(transport: transport, host: host, port: query.port ?? transport.defaultPort)]
            return askForHosts()
        }
        let services = srvNames.map { DNSQuestion.srv($0.name) }
        return ask(wanted == nil ? [.naptr(host)] + services : services)
    }

    /// Takes an answer. Answers to what was not asked are passed over.
    public mutating func take(
        _ answer: DNSAnswer, to question: DNSQuestion, random: inout some RandomNumberGenerator
    ) -> Step {
        guard open.remove(question) != nil else { return .ask([]) }
        answers[question] = answer
        guard open.isEmpty else { return .ask([]) }
        switch stage {
        case .services: return chooseServices(&random)
        case .replacements(let names): return follow(names, &random)
        case .hosts: return hostsFound()
        }
    }

    /// The transport that the URI asks for. `sips` over TCP is TLS.
    private var wantedTransport: SignallingProtocol? {
        query.transport.map { query.isSecure && $0 == .tcp ? .tls : $0 }
    }

    /// Where neither URI nor DNS tell: RFC 3263 section 4.1 says UDP, and TLS for `sips`.
    private var fallback: SignallingProtocol {
        query.isSecure ? .tls : transports.contains(.udp) ? .udp : transports.first ?? .udp
    }

    private var srvNames: [(transport: SignallingProtocol, name: String)] {
        (wantedTransport.map { [$0] } ?? transports).map { ($0, Self.prefix($0) + host) }
    }

    private static func prefix(_ transport: SignallingProtocol) -> String {
        switch transport {
        case .udp: "_sip._udp."
        case .tcp: "_sip._tcp."
        case .tls: "_sips._tcp."
        }
    }

    private mutating func ask(_ questions: [DNSQuestion]) -> Step {
        open.formUnion(questions)
        return .ask(questions)
    }

    // MARK: NAPTR and SRV

    private mutating func chooseServices(_ random: inout some RandomNumberGenerator) -> Step {
        guard case .naptr(let records)? = answers[.naptr(host)] else { return follow(srvNames, &random) }
        var usable: [(transport: SignallingProtocol, name: String)] = []
        for record in records.sorted(by: { ($0.order, $0.preference) < ($1.order, $1.preference) }) {
            guard let transport = Self.transport(ofService: record.service), transports.contains(transport),
                record.flags.lowercased() == "s", record.replacement.utf8.count > 1, usable.count < 8
            else { continue }
            usable.append((transport, record.replacement))
        }
        guard !usable.isEmpty else { return follow(srvNames, &random) }
        stage = .replacements(usable)
        let missing = usable.map { DNSQuestion.srv($0.name) }.filter { answers[$0] == nil }
        if missing.isEmpty { return follow(usable, &random) }
        var unique: [DNSQuestion] = []
        for question in missing where !unique.contains(question) { unique.append(question) }
        return ask(unique)
    }

    private static func transport(ofService service: String) -> SignallingProtocol? {
        switch service.uppercased() {
        case "SIP+D2U": .udp
        case "SIP+D2T": .tcp
        case "SIPS+D2T": .tls
        default: nil
        }
    }

    private mutating func follow(
        _ names: [(transport: SignallingProtocol, name: String)], _ random: inout some RandomNumberGenerator
    ) -> Step {
        var saysNo = false
        var rank = -1
        for (transport, name) in names {
            guard case .srv(let records)? = answers[.srv(name)] else { continue }
            var priority: UInt16?
            for record in orderedByWeight(Array(records.prefix(256)), random: &random) {
                if record.priority != priority { rank += 1 }
                priority = record.priority
                if record.target.isEmpty || record.target == "." {
                    saysNo = true
                } else if record.port != 0 {
                    targets.append(Target(transport: transport, host: record.target, port: record.port, rank: rank))
                }
            }
        }
        targets = Array(targets.prefix(Self.maximumTargets))
        if targets.isEmpty {
            // Silence is no answer: RFC 3263 section 4.2 falls back where there are no records, and the domain may have some. At NAPTR
            // alone it is a router's that does not know them.
            let silent = unanswered(names.map { DNSQuestion.srv($0.name) })
            if let first = silent.first {
                guard !hasAskedAgain else { return .failed(.dns(first.name, .timedOut)) }
                hasAskedAgain = true
                return ask(unanswered([.naptr(host)]) + silent)
            }
            if saysNo { return .failed(.noService(host)) }
            var transport = wantedTransport ?? fallback
            if case .replacements = stage, let chosen = names.first {
                // What NAPTR has chosen stays (RFC 3263 section 4.2): a name server that refuses turns no TLS into UDP.
                for (_, name) in names {
                    if case .failed(let failure)? = answers[.srv(name)] { return .failed(.dns(name, failure)) }
                }
                transport = chosen.transport
            }
            targets = [Target(transport: transport, host: host, port: transport.defaultPort)]
        }
        return askForHosts()
    }

    /// Those of the questions that no name server has answered in time, each once.
    private func unanswered(_ questions: [DNSQuestion]) -> [DNSQuestion] {
        var silent: [DNSQuestion] = []
        for question in questions where answers[question] == .failed(.timedOut) && !silent.contains(question) {
            silent.append(question)
        }
        return silent
    }

    // MARK: Addresses

    private mutating func askForHosts() -> Step {
        stage = .hosts
        var questions: [DNSQuestion] = []
        for target in targets {
            if Self.isNumeric(target.host) {
                answers[.addresses(target.host)] = .addresses([target.host])
            } else if !questions.contains(.addresses(target.host)) {
                questions.append(.addresses(target.host))
            }
        }
        return questions.isEmpty ? hostsFound() : ask(questions)
    }

    private func hostsFound() -> Step {
        var found: [(target: Target, addresses: [String])] = []
        for target in targets {
            guard case .addresses(let list)? = answers[.addresses(target.host)] else { continue }
            found.append((target, list))
        }
        return finish(found)
    }

    private func finish(_ found: [(target: Target, addresses: [String])]) -> Step {
        var hops: [ServerHop] = []
        for (target, addresses) in found {
            for address in interleaved(addresses) {
                var hop = ServerHop(
                    transport: target.transport, address: SignallingAddress(host: address, port: target.port),
                    serverName: target.transport == .tls ? host : nil)
                hop.rank = target.rank
                if !hops.contains(hop) { hops.append(hop) }
            }
        }
        if !hops.isEmpty { return .found(Array(hops.prefix(Self.maximumHops))) }
        if found.contains(where: { !$0.addresses.isEmpty }) { return .failed(.unsupported(host)) }
        for target in targets {
            if case .failed(let failure)? = answers[.addresses(target.host)] {
                return .failed(.dns(target.host, failure))
            }
        }
        return .failed(.unknownHost(targets.first?.host ?? host))
    }

    /// The families by turns, IPv6 first, so that one that leads nowhere costs one attempt (RFC 8305 section 4).
    private func interleaved(_ addresses: [String]) -> [String] {
        let six = usesV6 ? addresses.filter { $0.utf8.contains(UInt8(ascii: ":")) } : []
        let four = usesV4 ? addresses.filter { !$0.utf8.contains(UInt8(ascii: ":")) } : []
        var mixed: [String] = []
        for index in 0..<max(six.count, four.count) {
            if index < six.count { mixed.append(six[index]) }
            if index < four.count { mixed.append(four[index]) }
        }
        return mixed
    }

    static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, host, &address) == 1 || inet_pton(AF_INET, host, &address) == 1
    }
}
