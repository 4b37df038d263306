import Realtime
import SIP
import SignallingTransport
import Testing

/// Names and what a name server would say of them.
typealias Zone = [DNSQuestion: DNSAnswer]

@Suite("Finding the server of a URI (RFC 3263)") struct LocatorTests {
    /// Answers every question out of `zone`, in a shuffled order; what it does not have does not exist.
    func find(
        _ query: ServerQuery, in zone: Zone = [:], transports: [SignallingProtocol] = [.udp, .tcp, .tls],
        v4: Bool = true,
        v6: Bool = true, seed: UInt64 = 1, asked: ((DNSQuestion) -> Void)? = nil
    ) -> ServerLocator.Step {
        var random = SplitMix64(seed: seed)
        var locator = ServerLocator(query, transports: transports, usesV4: v4, usesV6: v6)
        var step = locator.start(random: &random)
        var open: [DNSQuestion] = []
        while case .ask(let questions) = step {
            open += questions
            guard !open.isEmpty else { return step }
            open.shuffle(using: &random)
            let question = open.removeLast()
            asked?(question)
            step = locator.take(zone[question] ?? .nothing, to: question, random: &random)
        }
        return step
    }

    func hop(_ kind: SignallingProtocol, _ host: String, _ port: UInt16, _ name: String? = nil) -> ServerHop {
        ServerHop(transport: kind, address: SignallingAddress(host: host, port: port), serverName: name)
    }

    static let addresses: Zone = [
        .addresses("example.test"): .addresses(["192.0.2.1"]), .addresses("a.example.test"): .addresses(["192.0.2.11"]),
        .addresses("b.example.test"): .addresses(["192.0.2.12", "2001:db8::12", "192.0.2.13"]),
    ]

    func zone(_ more: Zone) -> Zone { Self.addresses.merging(more) { $1 } }

    static let numeric: [(ServerQuery, SignallingProtocol, String, UInt16, String?)] = [
        (ServerQuery(host: "192.0.2.1"), .udp, "192.0.2.1", 5060, nil),
        (ServerQuery(host: "192.0.2.1", port: 5070), .udp, "192.0.2.1", 5070, nil),
        (ServerQuery(host: "[2001:db8::1]"), .udp, "2001:db8::1", 5060, nil),
        (ServerQuery(host: "2001:db8::1", transport: .tcp), .tcp, "2001:db8::1", 5060, nil),
        (ServerQuery(host: "192.0.2.1", transport: .tls), .tls, "192.0.2.1", 5061, "192.0.2.1"),
        (ServerQuery(host: "192.0.2.1", isSecure: true), .tls, "192.0.2.1", 5061, "192.0.2.1"),
        (ServerQuery(host: "192.0.2.1", transport: .tcp, isSecure: true), .tls, "192.0.2.1", 5061, "192.0.2.1"),
    ]

    @Test("a numeric address is asked of nobody", arguments: numeric)
    func numericAddress(query: ServerQuery, kind: SignallingProtocol, host: String, port: UInt16, name: String?) {
        #expect(find(query) { _ in Issue.record("asked") } == .found([hop(kind, host, port, name)]))
    }

    @Test("a port in the URI means addresses alone: no NAPTR, no SRV")
    func explicitPort() {
        var asked: [DNSQuestion] = []
        let step = find(ServerQuery(host: "example.test", port: 5080, transport: .tls), in: Self.addresses) {
            asked.append($0)
        }
        #expect(step == .found([hop(.tls, "192.0.2.1", 5080, "example.test")]))
        #expect(asked == [.addresses("example.test")])
    }

    @Test(
        "a name without a dot is a host of this network: addresses alone, as no zone has services of it",
        arguments: [
            (ServerQuery(host: "pbx"), SignallingProtocol.udp, UInt16(5060), nil as String?),
            (ServerQuery(host: "pbx.", transport: .tcp), .tcp, 5060, nil),
            (ServerQuery(host: "pbx", isSecure: true), .tls, 5061, "pbx"),
        ])
    func localName(query: ServerQuery, kind: SignallingProtocol, port: UInt16, name: String?) {
        var asked: [DNSQuestion] = []
        let step = find(query, in: [.addresses("pbx"): .addresses(["192.0.2.7"])]) { asked.append($0) }
        #expect(step == .found([hop(kind, "192.0.2.7", port, name)]))
        #expect(asked == [.addresses("pbx")])
    }

    @Test("NAPTR decides the transport by order and preference, and leads to its SRV records")
    func naptr() {
        let step = find(
            ServerQuery(host: "example.test"),
            in: zone([
                .naptr("example.test"): .naptr([
                    NAPTRRecord(
                        order: 90, preference: 50, flags: "s", service: "SIP+D2T", replacement: "_sip._tcp.example.test"
                    ),
                    NAPTRRecord(
                        order: 50, preference: 50, flags: "S", service: "sips+d2t",
                        replacement: "_sips._tcp.example.test"),
                    NAPTRRecord(order: 10, preference: 1, flags: "u", service: "E2U+sip", replacement: "."),
                ]),
                .srv("_sip._udp.example.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 1, target: "a.example.test")
                ]),
                .srv("_sip._tcp.example.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 5062, target: "a.example.test")
                ]),
                .srv("_sips._tcp.example.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 5063, target: "b.example.test")
                ]),
            ]))
        #expect(
            step
                == .found([
                    hop(.tls, "2001:db8::12", 5063, "example.test"), hop(.tls, "192.0.2.12", 5063, "example.test"),
                    hop(.tls, "192.0.2.13", 5063, "example.test"), hop(.tcp, "192.0.2.11", 5062),
                ]))
    }

    @Test("a NAPTR record may lead into another domain; the certificate must still have the name asked for")
    func replacement() {
        let step = find(
            ServerQuery(host: "example.test"),
            in: zone([
                .naptr("example.test"): .naptr([
                    NAPTRRecord(
                        order: 1, preference: 1, flags: "s", service: "SIPS+D2T", replacement: "_sips._tcp.hosted.test")
                ]),
                .srv("_sips._tcp.hosted.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 443, target: "a.example.test")
                ]),
            ]))
        #expect(step == .found([hop(.tls, "192.0.2.11", 443, "example.test")]))
    }

    @Test("where what NAPTR leads to has no SRV records, or its name server is silent, the transport that NAPTR chose stays")
    func replacementWithoutRecords() {
        let query = ServerQuery(host: "example.test")
        let chosen = NAPTRRecord(
            order: 1, preference: 1, flags: "s", service: "SIPS+D2T", replacement: "_sips._tcp.example.test")
        #expect(
            find(query, in: zone([.naptr("example.test"): .naptr([chosen])]))
                == .found([hop(.tls, "192.0.2.1", 5061, "example.test")]))
        let silent = zone([
            .naptr("example.test"): .naptr([chosen]), .srv("_sips._tcp.example.test"): .failed(.timedOut),
        ])
        #expect(find(query, in: silent) == .failed(.dns("_sips._tcp.example.test", .timedOut)))
        // Another way that the domain names itself is gone.
        let second = NAPTRRecord(
            order: 2, preference: 1, flags: "s", service: "SIP+D2T", replacement: "_sip._tcp.example.test")
        let other = zone([
            .naptr("example.test"): .naptr([chosen, second]), .srv("_sips._tcp.example.test"): .failed(.timedOut),
            .srv("_sip._tcp.example.test"): .srv([
                SRVRecord(priority: 0, weight: 0, port: 5062, target: "a.example.test")
            ]),
        ])
        #expect(find(query, in: other) == .found([hop(.tcp, "192.0.2.11", 5062)]))
    }

    @Test("without NAPTR the SRV records of each transport are used, in our order of transports")
    func srvWithoutNaptr() {
        let zone = zone([
            .srv("_sip._udp.example.test"): .srv([
                SRVRecord(priority: 0, weight: 0, port: 5060, target: "a.example.test")
            ]),
            .srv("_sip._tcp.example.test"): .srv([
                SRVRecord(priority: 0, weight: 0, port: 5062, target: "a.example.test")
            ]),
        ])
        let query = ServerQuery(host: "example.test")
        #expect(find(query, in: zone) == .found([hop(.udp, "192.0.2.11", 5060), hop(.tcp, "192.0.2.11", 5062)]))
        #expect(
            find(query, in: zone, transports: [.tcp, .udp])
                == .found([hop(.tcp, "192.0.2.11", 5062), hop(.udp, "192.0.2.11", 5060)]))
        #expect(find(query, in: zone, transports: [.tcp]) == .found([hop(.tcp, "192.0.2.11", 5062)]))
    }

    @Test("a transport parameter asks for that transport's SRV records alone")
    func transportParameter() {
        var asked: Set<DNSQuestion> = []
        let step = find(
            ServerQuery(host: "example.test", transport: .tcp),
            in: zone([
                .srv("_sip._tcp.example.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 5062, target: "a.example.test")
                ])
            ])
        ) { asked.insert($0) }
        #expect(step == .found([hop(.tcp, "192.0.2.11", 5062)]))
        #expect(asked == [.srv("_sip._tcp.example.test"), .addresses("a.example.test")])
    }

    @Test("without any record the name's own addresses and the default port are used")
    func plainHost() {
        for (query, expected) in [
            (ServerQuery(host: "example.test"), hop(.udp, "192.0.2.1", 5060)),
            (ServerQuery(host: "example.test."), hop(.udp, "192.0.2.1", 5060)),
            (ServerQuery(host: "example.test", transport: .tcp), hop(.tcp, "192.0.2.1", 5060)),
            (ServerQuery(host: "example.test", isSecure: true), hop(.tls, "192.0.2.1", 5061, "example.test")),
        ] {
            #expect(find(query, in: Self.addresses) == .found([expected]))
        }
        #expect(
            find(ServerQuery(host: "example.test"), in: Self.addresses, transports: [.tls])
                == .found([hop(.tls, "192.0.2.1", 5061, "example.test")]))
    }

    @Test("sips is only ever TLS: NAPTR and SRV of other transports are passed over")
    func secure() {
        let step = find(
            ServerQuery(host: "example.test", isSecure: true),
            in: zone([
                .naptr("example.test"): .naptr([
                    NAPTRRecord(
                        order: 1, preference: 1, flags: "s", service: "SIP+D2U", replacement: "_sip._udp.example.test")
                ]),
                .srv("_sip._udp.example.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 5060, target: "a.example.test")
                ]),
            ]))
        #expect(step == .found([hop(.tls, "192.0.2.1", 5061, "example.test")]))
        #expect(find(ServerQuery(host: "example.test", transport: .udp, isSecure: true)) == .failed(.notSecure))
        #expect(
            find(ServerQuery(host: "example.test", isSecure: true), transports: [.udp, .tcp])
                == .failed(.unsupported("example.test")))
    }

    @Test("SRV records are tried by priority, all of their addresses, and the families by turns")
    func failoverList() {
        let step = find(
            ServerQuery(host: "example.test", transport: .udp),
            in: zone([
                .srv("_sip._udp.example.test"): .srv([
                    SRVRecord(priority: 20, weight: 0, port: 5060, target: "a.example.test"),
                    SRVRecord(priority: 10, weight: 0, port: 5070, target: "b.example.test"),
                    SRVRecord(priority: 30, weight: 0, port: 5060, target: "gone.example.test"),
                    SRVRecord(priority: 40, weight: 0, port: 5060, target: "192.0.2.99"),
                ])
            ]))
        #expect(
            step
                == .found([
                    hop(.udp, "2001:db8::12", 5070), hop(.udp, "192.0.2.12", 5070), hop(.udp, "192.0.2.13", 5070),
                    hop(.udp, "192.0.2.11", 5060), hop(.udp, "192.0.2.99", 5060),
                ]))
    }

    @Test("hops of one priority have one rank, and each lower priority and each further name the next one") func ranks() {
        let step = find(
            ServerQuery(host: "example.test"),
            in: zone([
                .srv("_sip._udp.example.test"): .srv([
                    SRVRecord(priority: 10, weight: 0, port: 5070, target: "b.example.test"),
                    SRVRecord(priority: 10, weight: 0, port: 5070, target: "192.0.2.99"),
                    SRVRecord(priority: 20, weight: 0, port: 5060, target: "a.example.test"),
                ]),
                .srv("_sip._tcp.example.test"): .srv([
                    SRVRecord(priority: 20, weight: 0, port: 5060, target: "a.example.test")
                ]),
            ]))
        guard case .found(let hops) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(hops.map(\.rank) == [0, 0, 0, 0, 1, 2])
        #expect(hops.map(\.transport) == [.udp, .udp, .udp, .udp, .udp, .tcp])
    }

    @Test("a family that this side does not have is left out; with nothing left that is told")
    func families() {
        let query = ServerQuery(host: "b.example.test", port: 5060)
        #expect(find(query, in: Self.addresses, v4: false) == .found([hop(.udp, "2001:db8::12", 5060)]))
        #expect(
            find(ServerQuery(host: "a.example.test", port: 5060), in: Self.addresses, v4: false)
                == .failed(.unsupported("a.example.test")))
    }

    @Test("a target of . says that there is no service; no address says that there is no host")
    func nothingThere() {
        let query = ServerQuery(host: "example.test", transport: .udp)
        let none = SRVRecord(priority: 0, weight: 0, port: 0, target: ".")
        #expect(find(query, in: [.srv("_sip._udp.example.test"): .srv([none])]) == .failed(.noService("example.test")))
        #expect(find(query) == .failed(.unknownHost("example.test")))
    }

    @Test("a name server that does not answer is told apart from a name that does not exist")
    func silentServer() {
        let step = find(
            ServerQuery(host: "example.test"),
            in: [.naptr("example.test"): .failed(.timedOut), .addresses("example.test"): .failed(.timedOut)])
        #expect(step == .failed(.dns("example.test", .timedOut)))
    }

    @Test("a name server that refuses NAPTR is no obstacle")
    func naptrRefused() {
        let step = find(
            ServerQuery(host: "example.test"), in: zone([.naptr("example.test"): .failed(.refused("REFUSED"))]))
        #expect(step == .found([hop(.udp, "192.0.2.1", 5060)]))
    }

    @Test("a zone with thousands of records is followed only so far")
    func hugeZone() {
        let records = (0..<1000).map {
            SRVRecord(priority: 1, weight: 1, port: UInt16($0 + 1), target: "b.example.test")
        }
        let step = find(
            ServerQuery(host: "example.test", transport: .udp),
            in: zone([.srv("_sip._udp.example.test"): .srv(records)]))
        guard case .found(let hops) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(hops.count == ServerLocator.maximumHops)
    }

    @Test("answers to what was not asked change nothing")
    func strayAnswers() {
        var random = SplitMix64(seed: 3)
        var locator = ServerLocator(ServerQuery(host: "example.test", port: 5060))
        _ = locator.start(random: &random)
        #expect(locator.take(.addresses(["192.0.2.66"]), to: .addresses("evil.test"), random: &random) == .ask([]))
        #expect(
            locator.take(.addresses(["192.0.2.1"]), to: .addresses("example.test"), random: &random)
                == .found([hop(.udp, "192.0.2.1", 5060)]))
    }
}

@Suite("The order of SRV records (RFC 2782)") struct SRVOrderTests {
    @Test("the first choice follows the weights")
    func weights() {
        let records = [10, 30, 60].map { SRVRecord(priority: 5, weight: $0, port: $0, target: "x") }
        var random = SplitMix64(seed: 2782)
        var first: [UInt16: Int] = [:]
        for _ in 0..<20_000 { first[orderedByWeight(records, random: &random)[0].weight, default: 0] += 1 }
        for (weight, expected) in [(10, 2000), (30, 6000), (60, 12_000)] as [(UInt16, Int)] {
            #expect(abs((first[weight] ?? 0) - expected) < 400, "\(first)")
        }
    }

    @Test("every record comes once, lower priorities before higher ones, weight 0 seldom first")
    func order() {
        let records = (0..<20).map {
            SRVRecord(priority: UInt16($0 % 3), weight: UInt16($0 % 2) * 100, port: UInt16($0), target: "x")
        }
        var random = SplitMix64(seed: 7)
        var zeroFirst = 0
        for _ in 0..<1000 {
            let ordered = orderedByWeight(records, random: &random)
            #expect(Set(ordered) == Set(records) && ordered.count == 20)
            #expect(ordered.map(\.priority) == ordered.map(\.priority).sorted())
            if ordered[0].weight == 0 { zeroFirst += 1 }
        }
        #expect(zeroFirst < 50, "\(zeroFirst)")
    }

    @Test("records that all have weight 0, the largest weights, or that are none, are ordered too")
    func edges() {
        var random = SplitMix64(seed: 1)
        let zeros = (0..<5).map { SRVRecord(priority: 1, weight: 0, port: $0, target: "x") }
        #expect(orderedByWeight(zeros, random: &random).count == 5)
        let large = (0..<300).map { SRVRecord(priority: 1, weight: .max, port: $0, target: "x") }
        #expect(orderedByWeight(large, random: &random).count == 300)
        #expect(orderedByWeight([], random: &random).isEmpty)
    }
}
