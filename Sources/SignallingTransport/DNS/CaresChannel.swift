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
    /// Goes through this network's own domains, the search list of resolv.conf.
    private var searching: ares_channel?
    /// Takes each name as it stands. Both read the hosts file.
    private var whole: ares_channel?
    /// Dots that make a name whole: resolv.conf's `ndots`; 1 unless it says more.
    private var dots = 1

    init(_ settings: Settings) throws(CaresError) {
        searching = try Self.open(settings, searches: true)
        whole = try Self.open(settings, searches: false)
        var options = ares_options()
        var mask: CInt = 0
        if ares_save_options(searching, &options, &mask) == ARES_SUCCESS { dots = max(1, Int(options.ndots)) }
        ares_destroy_options(&options)
    }

    private static func open(_ settings: Settings, searches: Bool) throws(CaresError) -> ares_channel? {
        var channel: ares_channel?
        var options = ares_options()
        options.timeout = settings.timeoutMilliseconds
        options.tries = settings.tries
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES
        if !searches {
            // Of a look-up of addresses, older versions ask the list only, newer ones the flag.
            options.flags = ARES_FLAG_NOSEARCH
            mask |= ARES_OPT_FLAGS | ARES_OPT_DOMAINS
        }
        let status = ares_init_options(&channel, &options, mask)
        guard status == ARES_SUCCESS else { throw CaresError(words: words(status)) }
        guard !settings.servers.isEmpty else { return channel }
        let list = settings.servers.joined(separator: ",")
        let set = ares_set_servers_ports_csv(channel, list)
        guard set == ARES_SUCCESS else {
            ares_destroy(channel)
            throw CaresError(words: "\(list) is no list of ADDRESS or ADDRESS:PORT")
        }
        return channel
    }

    deinit { for channel in channels { ares_destroy(channel) } }

    private var channels: [ares_channel] { [searching, whole].compactMap(\.self) }

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
            let isWhole = name.utf8.count { $0 == UInt8(ascii: ".") } >= dots
            ares_getaddrinfo(
                isWhole ? whole : searching, name, nil, &hints,
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
            whole, name, 1, recordType,
            { argument, status, _, bytes, count in
                guard let argument else { return }
                let request = Unmanaged<Request>.fromOpaque(argument).takeRetainedValue()
                request.finish(CaresReply.answer(to: request.question, status, bytes, count))
            }, request)
    }

    /// Answers whatever waits with a failure.
    func cancel() { for channel in channels { ares_cancel(channel) } }

    /// Waits for an answer, for `wake` to become readable, or for the time at which c-ares wants to ask again.
    func wait(orUntil wake: CInt) {
        var watched = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        // Whose each of them is, but for the first.
        var owners: [ares_channel] = []
        var milliseconds: CInt = 1000
        for channel in channels {
            for socket in Self.sockets(of: channel) {
                watched.append(socket)
                owners.append(channel)
            }
            var longest = timeval(tv_sec: 1, tv_usec: 0)
            var room = timeval()
            let next = withUnsafeMutablePointer(to: &room) { ares_timeout(channel, &longest, $0)?.pointee } ?? longest
            milliseconds = min(milliseconds, CInt(clamping: next.tv_sec * 1000 + (next.tv_usec + 999) / 1000))
        }
        _ = poll(&watched, nfds_t(watched.count), max(0, milliseconds))
        for (item, owner) in zip(watched.dropFirst(), owners) where item.revents != 0 {
            let writes = item.revents & Int16(POLLOUT) != 0
            let reads = item.revents & ~Int16(POLLOUT) != 0
            ares_process_fd(owner, reads ? item.fd : -1, writes ? item.fd : -1)
        }
        // What has waited too long.
        for channel in channels { ares_process_fd(channel, -1, -1) }
    }

    private static func sockets(of channel: ares_channel) -> [pollfd] {
        var sockets = [ares_socket_t](repeating: 0, count: Int(ARES_GETSOCK_MAXNUM))
        let bits = UInt32(bitPattern: ares_getsock(channel, &sockets, ARES_GETSOCK_MAXNUM))
        return sockets.indices.compactMap { index in
            let reads = bits & (1 << UInt32(index)) != 0
            let writes = bits & (1 << UInt32(index + sockets.count)) != 0
            guard reads || writes else { return nil }
            let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
            return pollfd(fd: sockets[index], events: Int16(events), revents: 0)
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
