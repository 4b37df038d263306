import Realtime
import SIP
import SignallingTransport
import Testing

/// Name servers that refuse, or do not answer: RFC 3263 section 4.2.
extension LocatorTests {
    @Test("a name server that refuses NAPTR and SRV, or fails at them, is no obstacle to the domain's own addresses")
    func servicesRefused() {
        for words in ["NOTIMP", "REFUSED", "SERVFAIL"] {
            let refused = DNSAnswer.failed(.refused(words))
            let step = find(
                ServerQuery(host: "example.test"),
                in: zone([
                    .naptr("example.test"): refused, .srv("_sip._udp.example.test"): refused,
                    .srv("_sip._tcp.example.test"): refused, .srv("_sips._tcp.example.test"): refused,
                ]))
            #expect(step == .found([hop(.udp, "192.0.2.1", 5060)]))
        }
    }

    @Test(
        "silence is no answer: the domain's own addresses are not taken in place of records that nobody told",
        arguments: [
            (ServerQuery(host: "example.test"), DNSQuestion.srv("_sip._udp.example.test")),
            (ServerQuery(host: "example.test"), .srv("_sips._tcp.example.test")),
            (ServerQuery(host: "example.test", transport: .tcp), .srv("_sip._tcp.example.test")),
            (ServerQuery(host: "example.test", isSecure: true), .srv("_sips._tcp.example.test")),
        ])
    func silentServices(query: ServerQuery, silent: DNSQuestion) {
        var asked: [DNSQuestion] = []
        let step = find(query, in: zone([silent: .failed(.timedOut)])) { asked.append($0) }
        let name: String =
            switch silent {
            case .naptr(let domain), .srv(let domain), .addresses(let domain): domain
            }
        #expect(step == .failed(.dns(name, .timedOut)))
        #expect(asked.count { $0 == silent } == 2)
        #expect(!asked.contains(.addresses("example.test")))
    }

    @Test("a router that drops what it does not know, NAPTR, is no obstacle where there is no SRV either")
    func naptrDropped() {
        var asked = 0
        let step = find(ServerQuery(host: "example.test"), in: zone([.naptr("example.test"): .failed(.timedOut)])) {
            if $0 == .naptr("example.test") { asked += 1 }
        }
        #expect(step == .found([hop(.udp, "192.0.2.1", 5060)]))
        #expect(asked == 1)
    }

    @Test("what was not answered in time is asked again once: a name server that was away leads to the right server")
    func silentForAWhile() {
        let all: Zone = [
            .naptr("example.test"): .naptr([
                NAPTRRecord(
                    order: 1, preference: 1, flags: "s", service: "SIPS+D2T", replacement: "_sips._tcp.example.test")
            ]),
            .srv("_sips._tcp.example.test"): .srv([
                SRVRecord(priority: 0, weight: 0, port: 5063, target: "a.example.test")
            ]),
        ]
        for later in [all, all.filter { $0.key != .naptr("example.test") }] {
            var random = SplitMix64(seed: 4)
            var locator = ServerLocator(ServerQuery(host: "example.test"))
            var rounds = 0
            var step = locator.start(random: &random)
            while case .ask(let questions) = step, !questions.isEmpty {
                rounds += 1
                for question in questions {
                    let answer: DNSAnswer = rounds == 1 ? .failed(.timedOut) : zone(later)[question] ?? .nothing
                    step = locator.take(answer, to: question, random: &random)
                }
            }
            #expect(step == .found([hop(.tls, "192.0.2.11", 5063, "example.test")]))
            #expect(rounds == 3)
        }
    }

    @Test("SRV records that were found are used, whatever of the rest was not answered")
    func silentNaptr() {
        let step = find(
            ServerQuery(host: "example.test"),
            in: zone([
                .naptr("example.test"): .failed(.timedOut), .srv("_sips._tcp.example.test"): .failed(.timedOut),
                .srv("_sip._udp.example.test"): .srv([
                    SRVRecord(priority: 0, weight: 0, port: 5070, target: "a.example.test")
                ]),
            ]))
        #expect(step == .found([hop(.udp, "192.0.2.11", 5070)]))
    }
}
