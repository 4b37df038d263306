import Realtime
import SIP

/// Two user agents and a bad network between them, in virtual time. Everything at random comes from one seed.
final class Network {
    struct Packet {
        let time: HostTime
        let order: Int
        let to: Int
        let bytes: [UInt8]
    }

    let agents: [UserAgent]
    let addresses = [SignallingAddress(host: "192.0.2.1", port: 5060), SignallingAddress(host: "192.0.2.2", port: 5060)]
    private(set) var now = HostTime(milliseconds: 1000)
    var random: SplitMix64
    var lossPercent: Int
    private var queue: [Packet] = []
    private var sentCount = 0
    private let parser = MessageParser()

    /// Calls of each agent that it knows of and that have not ended.
    var open: [Set<CallHandle>] = [[], []]
    private(set) var endedOnce: [Set<CallHandle>] = [[], []]
    private(set) var complaints: [String] = []
    /// INVITEs that reached an agent, by branch, with what was last answered.
    private(set) var invites: [String: Int] = [:]
    private(set) var sends = 0
    private(set) var answeredCalls = 0
    var needsAnswer: [(agent: Int, call: CallHandle)] = []

    init(seed: UInt64, lossPercent: Int) {
        random = SplitMix64(seed: seed)
        self.lossPercent = lossPercent
        var agents: [UserAgent] = []
        for (index, address) in addresses.enumerated() {
            var configuration = UserAgentConfiguration(localAddresses: [.udp: address])
            configuration.caps = SourceCaps(
                transactionsPerSource: 5000, transactions: 5000, ringingPerSource: 1000, ringing: 1000, calls: 1000)
            configuration.sessionExpires = 90
            configuration.ringingLimit = 40
            agents.append(
                UserAgent(configuration: configuration, random: SplitMix64(seed: seed &* 31 &+ UInt64(index))))
        }
        self.agents = agents
    }

    func chance(_ percent: Int) -> Bool { Int(random.next() % 100) < percent }

    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    func collect() {
        for (index, agent) in agents.enumerated() {
            for output in agent.takeOutputs() {
                switch output {
                case .send(let bytes, _): carry(bytes, from: index)
                case .event(let event): note(event, of: index)
                case .resolve(let id, _): complaints.append("resolve \(id) for a numeric address")
                case .askBinding(let server): complaints.append("asks \(server) without an account")
                case .close: complaints.append("closed a stream that is none")
                }
            }
        }
    }

    private func carry(_ bytes: [UInt8], from index: Int) {
        sends += 1
        if case .message(.response(let response)) = parser.parse(bytes), response.headers.cSeq.method == .invite,
            let branch = response.headers.topVia?.branch
        {
            invites[branch] = max(invites[branch] ?? 0, response.status)
        }
        for _ in 0..<(chance(5) ? 2 : 1) where !chance(lossPercent) {
            sentCount += 1
            let delay = Double(random.next() % (chance(10) ? 900 : 60))
            queue.append(
                Packet(time: now.advanced(byMilliseconds: delay), order: sentCount, to: 1 - index, bytes: bytes))
        }
    }

    private func note(_ event: UserAgentEvent, of index: Int) {
        guard let handle = Self.handle(event) else { return }
        if endedOnce[index].contains(handle) { complaints.append("agent \(index): \(event) after the end") }
        switch event {
        case .incoming: open[index].insert(handle)
        case .ended:
            open[index].remove(handle)
            endedOnce[index].insert(handle)
        case .answered(_, let answer):
            answeredCalls += 1
            if answer.needsAnswer { needsAnswer.append((index, handle)) }
        case .modified(_, let answer): if answer.needsAnswer { needsAnswer.append((index, handle)) }
        case .progress(_, let progress): if progress.needsAnswer { needsAnswer.append((index, handle)) }
        default: break
        }
    }

    private static func handle(_ event: UserAgentEvent) -> CallHandle? {
        switch event {
        case .incoming(let handle, _), .progress(let handle, _), .answered(let handle, _), .acknowledged(let handle, _),
            .modificationRequested(let handle, _), .modified(let handle, _),
            .modificationFailed(let handle, status: _, reason: _), .modificationPossible(let handle), .ended(let handle, _),
            .info(let handle, _),
            .transferRequested(let handle, _), .transferProgress(let handle, status: _, reason: _):
            handle
        default: nil
        }
    }

    /// Time goes on; packets and timers come in their order.
    func advance(_ milliseconds: Double) {
        let end = now.advanced(byMilliseconds: milliseconds)
        while true {
            let packet = queue.indices.min { (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order) }
            let times = agents.compactMap(\.nextDeadline) + (packet.map { [queue[$0].time] } ?? [])
            guard let next = times.min(), next <= end else { break }
            now = max(now, next)
            if let packet, queue[packet].time <= now { deliver(queue.remove(at: packet)) }
            for agent in agents { agent.advance(to: now) }
            collect()
        }
        now = end
    }

    private func deliver(_ packet: Packet) {
        if case .message(.request(let request)) = parser.parse(packet.bytes), request.method == .invite,
            let branch = request.headers.topVia?.branch
        {
            invites[branch] = invites[branch] ?? 0
        }
        let source = SignallingSource(transport: .udp, remote: addresses[1 - packet.to])
        agents[packet.to].receive(datagram: packet.bytes, from: source, now: now)
    }
}
