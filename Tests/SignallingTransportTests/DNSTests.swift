import Glibc
import SignallingTransport
import Testing

@Suite("Asking name servers") struct DNSTests {
    static let zone: Zone = [
        .addresses("a.yodel.test"): .addresses(["192.0.2.11", "2001:db8::11"]),
        .addresses("b.yodel.test"): .addresses(["192.0.2.12"]),
        .addresses("yodel.test"): .addresses(["192.0.2.1"]),
        .srv("_sip._udp.yodel.test"): .srv([
            SRVRecord(priority: 10, weight: 5, port: 5060, target: "a.yodel.test"),
            SRVRecord(priority: 20, weight: 65_535, port: 65_535, target: "b.yodel.test"),
        ]),
        .naptr("yodel.test"): .naptr([
            NAPTRRecord(order: 50, preference: 1, flags: "s", service: "SIP+D2U", replacement: "_sip._udp.yodel.test")
        ]),
        .naptr("refused.test"): .failed(.refused("")),
        .addresses("nowhere.yodel.test.corp.test"): .addresses(["192.0.2.88"]),
        .addresses("pbx.corp.test"): .addresses(["192.0.2.89"]),
        .srv("_sip._udp.none.test"): .srv([SRVRecord(priority: 0, weight: 0, port: 0, target: "")]),
    ]

    /// Runs `body` with a resolver that asks only our server.
    func serving<Result: Sendable>(
        silent: Set<String> = [], _ body: (DNSResolver, TestNameServer) async throws -> Result
    ) async throws -> Result {
        let server = try TestNameServer(Self.zone, silent: silent)
        let task = Task.detached { await server.serve() }
        defer { task.cancel() }
        return try await body(DNSResolver(servers: [server.setting], timeout: 60, tries: 1), server)
    }

    @Test("addresses of both families, SRV and NAPTR records come as they are")
    func records() async throws {
        try await serving { resolver, _ in
            guard case .addresses(let list) = await resolver.answer(to: .addresses("a.yodel.test")) else {
                throw NoAnswer()
            }
            #expect(Set(list) == ["192.0.2.11", "2001:db8::11"])
            for question in [DNSQuestion.srv("_sip._udp.yodel.test"), .naptr("yodel.test")] {
                #expect(await resolver.answer(to: question) == Self.zone[question])
            }
        }
    }

    @Test("what does not exist, what is refused, and what has no answer are told apart")
    func failures() async throws {
        try await serving(silent: ["silent.test"]) { resolver, server in
            #expect(await resolver.answer(to: .addresses("gone.test")) == .nothing)
            #expect(await resolver.answer(to: .srv("_sip._udp.gone.test")) == .nothing)
            guard case .failed(.refused) = await resolver.answer(to: .naptr("refused.test")) else { throw NoAnswer() }
            let impatient = DNSResolver(servers: [server.setting], timeout: 0.1, tries: 1)
            #expect(await impatient.answer(to: .naptr("silent.test")) == .failed(.timedOut))
            #expect(await resolver.answer(to: .addresses(String(repeating: "x", count: 300))) == .nothing)
        }
    }

    @Test("a name with a dot is whole: this network's own domains are searched for one without a dot only")
    func searchList() async throws {
        // c-ares takes both before what resolv.conf says.
        setenv("LOCALDOMAIN", "corp.test", 1)
        setenv("RES_OPTIONS", "ndots:1", 1)
        defer { unsetenv("LOCALDOMAIN") }
        defer { unsetenv("RES_OPTIONS") }
        try await serving { resolver, _ in
            #expect(await resolver.answer(to: .addresses("nowhere.yodel.test")) == .nothing)
            #expect(await resolver.answer(to: .addresses("pbx")) == .addresses(["192.0.2.89"]))
            #expect(await resolver.answer(to: .addresses("b.yodel.test")) == .addresses(["192.0.2.12"]))
        }
    }

    @Test("a name server that is no address is told at once")
    func badSetting() async {
        let answer = await DNSResolver(servers: ["no server"]).answer(to: .addresses("yodel.test"))
        guard case .failed(.noServer(let words)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(words.contains("no server"))
    }

    @Test("numeric addresses and the hosts file need no name server")
    func hostsFile() async {
        let resolver = DNSResolver(servers: ["127.0.0.1:9"], timeout: 0.1, tries: 1)
        #expect(await resolver.answer(to: .addresses("192.0.2.5")) == .addresses(["192.0.2.5"]))
        guard case .addresses(let list) = await resolver.answer(to: .addresses("localhost")) else {
            Issue.record("localhost has an address")
            return
        }
        #expect(list.contains("127.0.0.1"))
    }

    @Test("a whole domain is found, in the order to be tried")
    func locate() async throws {
        try await serving { resolver, server in
            let hops = try await resolver.locate(ServerQuery(host: "yodel.test"))
            #expect(hops.map(\.address.description) == ["[2001:db8::11]:5060", "192.0.2.11:5060", "192.0.2.12:65535"])
            #expect(hops.allSatisfy { $0.transport == .udp && $0.serverName == nil })
            // It has moved: the next look finds it, nothing is remembered.
            server.change(
                .srv("_sip._udp.yodel.test"),
                to: .srv([SRVRecord(priority: 0, weight: 0, port: 5999, target: "b.yodel.test")]))
            let moved = try await resolver.locate(ServerQuery(host: "yodel.test"))
            #expect(moved.map(\.address.description) == ["192.0.2.12:5999"])
        }
    }

    @Test("a domain that says it has no service, or that does not exist, is told so")
    func locateNothing() async throws {
        try await serving { resolver, _ in
            await #expect(throws: LocationFailure.noService("none.test")) {
                try await resolver.locate(ServerQuery(host: "none.test"))
            }
            await #expect(throws: LocationFailure.unknownHost("gone.test")) {
                try await resolver.locate(ServerQuery(host: "gone.test"))
            }
        }
    }

    @Test("many questions at once are all answered, and later ones too")
    func many() async throws {
        try await serving { resolver, _ in
            let count = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let expected: DNSAnswer = number % 2 == 0 ? .addresses(["192.0.2.12"]) : .nothing
                        return await resolver.answer(
                            to: .addresses(number % 2 == 0 ? "b.yodel.test" : "x\(number).test")) == expected
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(count == 50)
            #expect(await resolver.answer(to: .addresses("b.yodel.test")) == .addresses(["192.0.2.12"]))
        }
    }
}

struct NoAnswer: Error {}
