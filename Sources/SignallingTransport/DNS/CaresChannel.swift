import CCares
import Glibc

/// What c-ares says when it cannot begin.
struct CaresError: Error {
    let words: String
}

/// A channel of c-ares. One thread uses it, from its making to its end.
final class CaresChannel {
    struct Settings: Sendable {
        /// `ADDRESS[:PORT]`; empty: resolv.conf.
        var servers: [String]
        var timeoutMilliseconds: CInt
        var tries: CInt
    }

    /// What a callback needs; c-ares holds it until it has called back, which it does once.
    private final class Request {
        let channel: CaresChannel
        let question: DNSQuestion
        let answer: (DNSAnswer) -> Void

        init(_ channel: CaresChannel, _ question: DNSQuestion, _ answer: @escaping (DNSAnswer) -> Void) {
            self.channel = channel
            self.question = question
            self.answer = answer
        }

        func finish(_ result: DNSAnswer) {
            channel.waiting -= 1
            answer(result)
        }
    }

    /// Questions without an answer yet.
    private(set) var waiting = 0
    private var channel: ares_channel?

    init(_ settings: Settings) throws(CaresError) {
        var options = ares_options()
        options.timeout = settings.timeoutMilliseconds
        options.tries = settings.tries
        let status = ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES)
        guard status == ARES_SUCCESS else { throw CaresError(words: Self.words(status)) }
        guard !settings.servers.isEmpty else { return }
        let list = settings.servers.joined(separator: ",")
        let set = ares_set_servers_ports_csv(channel, list)
        guard set == ARES_SUCCESS else {
            ares_destroy(channel)
            channel = nil
            throw CaresError(words: "\(list) is no list of ADDRESS or ADDRESS:PORT")
        }
    }

    deinit { if let channel { ares_destroy(channel) } }

    func ask(_ question: DNSQuestion, _ answer: @escaping (DNSAnswer) -> Void) {
        waiting += 1
        let request = Unmanaged.passRetained(Request(self, question, answer)).toOpaque()
        switch question {
        case .naptr(let name): ask(name, recordType: 35, request)
        case .srv(let name): ask(name, recordType: 33, request)
        case .addresses(let name):
            var hints = ares_addrinfo_hints()
            hints.ai_flags = ARES_AI_NOSORT
            hints.ai_family = AF_UNSPEC
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
            ares_getaddrinfo(
                channel, name, nil, &hints,
                { argument, status, _, result in
                    guard let argument else { return }
                    let request = Unmanaged<Request>.fromOpaque(argument).takeRetainedValue()
                    defer { if let result { ares_freeaddrinfo(result) } }
                    request.finish(CaresChannel.addresses(status, result))
                }, request)
        }
    }

    private func ask(_ name: String, recordType: CInt, _ request: UnsafeMutableRawPointer) {
        ares_query(
            channel, name, 1, recordType,
            { argument, status, _, bytes, count in
                guard let argument else { return }
                let request = Unmanaged<Request>.fromOpaque(argument).takeRetainedValue()
                request.finish(CaresReply.answer(to: request.question, status, bytes, count))
            }, request)
    }

    /// Answers whatever waits with a failure.
    func cancel() { ares_cancel(channel) }

    /// Waits for an answer, for `wake` to become readable, or for the time at which c-ares wants to ask again.
    func wait(orUntil wake: CInt) {
        var sockets = [ares_socket_t](repeating: 0, count: Int(ARES_GETSOCK_MAXNUM))
        let bits = UInt32(bitPattern: ares_getsock(channel, &sockets, ARES_GETSOCK_MAXNUM))
        var watched = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        for index in sockets.indices {
            let reads = bits & (1 << UInt32(index)) != 0
            let writes = bits & (1 << UInt32(index + sockets.count)) != 0
            guard reads || writes else { continue }
            let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
            watched.append(pollfd(fd: sockets[index], events: Int16(events), revents: 0))
        }
        var longest = timeval(tv_sec: 1, tv_usec: 0)
        var room = timeval()
        let next = withUnsafeMutablePointer(to: &room) { ares_timeout(channel, &longest, $0)?.pointee } ?? longest
        let milliseconds = CInt(clamping: next.tv_sec * 1000 + (next.tv_usec + 999) / 1000)
        let count = poll(&watched, nfds_t(watched.count), max(0, milliseconds))
        guard count > 0 else {
            ares_process_fd(channel, -1, -1)
            return
        }
        for item in watched.dropFirst() where item.revents != 0 {
            let writes = item.revents & Int16(POLLOUT) != 0
            let reads = item.revents & ~Int16(POLLOUT) != 0
            ares_process_fd(channel, reads ? item.fd : -1, writes ? item.fd : -1)
        }
    }

    static func words(_ status: CInt) -> String { String(cString: ares_strerror(status)) }

    private static func addresses(_ status: CInt, _ result: UnsafeMutablePointer<ares_addrinfo>?) -> DNSAnswer {
        if let failure = CaresReply.failure(status) { return failure }
        var found: [String] = []
        var node = result?.pointee.nodes
        while let current = node, found.count < 64 {
            if let text = numericText(current.pointee.ai_addr), !found.contains(text) { found.append(text) }
            node = current.pointee.ai_next
        }
        return found.isEmpty ? .nothing : .addresses(found)
    }

    private static func numericText(_ address: UnsafeMutablePointer<sockaddr>?) -> String? {
        guard let address else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let bytes = UnsafeRawPointer(address)
        let isFour = Int32(address.pointee.sa_family) == AF_INET
        guard isFour || Int32(address.pointee.sa_family) == AF_INET6 else { return nil }
        let offset =
            isFour
            ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
        guard let offset, inet_ntop(isFour ? AF_INET : AF_INET6, bytes + offset, &text, socklen_t(text.count)) != nil
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
