import CCares
import SIP

/// Asks name servers, by c-ares, on a thread of its own that sleeps while there is nothing to ask.
public final class DNSResolver: Sendable {
    private let thread: ResolverThread

    /// - Parameters:
    ///   - servers: `ADDRESS[:PORT]` of each name server, IPv6 as `[ADDRESS]:PORT`; empty: those of resolv.conf.
    ///   - timeout: time for one server's answer to one packet, in seconds; it is asked `tries` times.
    public init(servers: [String] = [], timeout: Double = 1.5, tries: Int = 2) {
        thread = ResolverThread(
            CaresChannel.Settings(
                servers: servers, timeoutMilliseconds: CInt(max(50, min(timeout, 60) * 1000)),
                tries: CInt(max(1, min(tries, 10)))))
    }

    deinit { thread.stop() }

    /// Asks; the answer comes on the resolver's thread, and always does.
    public func ask(_ question: DNSQuestion, answer: @escaping @Sendable (DNSAnswer) -> Void) {
        thread.ask(question, answer)
    }

    /// Asks and waits.
    public func answer(to question: DNSQuestion) async -> DNSAnswer {
        await withCheckedContinuation { continuation in
            ask(question) { continuation.resume(returning: $0) }
        }
    }

    /// Finds the servers of a URI (RFC 3263), in the order in which they are to be tried.
    public func locate(
        _ query: ServerQuery, transports: [SignallingProtocol] = [.udp, .tcp, .tls], usesV4: Bool = true,
        usesV6: Bool = true
    ) async throws(LocationFailure) -> [ServerHop] {
        var locator = ServerLocator(query, transports: transports, usesV4: usesV4, usesV6: usesV6)
        var random = SystemRandomNumberGenerator()
        var step = locator.start(random: &random)
        while true {
            switch step {
            case .found(let hops): return hops
            case .failed(let failure): throw failure
            case .ask(let questions):
                let answers = await answers(to: questions)
                for (question, answer) in answers { step = locator.take(answer, to: question, random: &random) }
                if answers.isEmpty { throw .unknownHost(query.host) }
            }
        }
    }

    /// All at once.
    private func answers(to questions: [DNSQuestion]) async -> [(DNSQuestion, DNSAnswer)] {
        await withTaskGroup(of: (DNSQuestion, DNSAnswer).self) { group in
            for question in questions { group.addTask { (question, await self.answer(to: question)) } }
            var answers: [(DNSQuestion, DNSAnswer)] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
    }
}
