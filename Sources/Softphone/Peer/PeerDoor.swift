import Link
import Network
import PeerSignalling
import Realtime
import Reporting
import SDP
import SecureRTP

/// Answers those who call while there is a call: a handshake with each, one after the other, and that it is busy. The call's own
/// socket and thread know nothing of them.
///
/// It looks once in a while, at what fits into a short queue: a flood of hellos costs a bounded part of its thread, and answers to those who
/// can be reached come late. Who would not get through the handshake of a call does not get through this one.
final class PeerDoor {
    /// How long it looks at nothing after it saw something, in milliseconds.
    static let restMilliseconds = 40.0
    /// How long one is spoken to, in milliseconds.
    static let patienceMilliseconds = 3000.0

    private let phone: PeerPhone
    private let request: PeerRequest
    private let judge: PeerJudge
    private let capabilities: AudioCapabilities
    private let socket: UDPLink
    private let others: OthersLink
    private var mail: PeerMail
    private var link: PeerLink
    /// When the one who is spoken to has had time enough; nil: nobody is.
    private var limit: HostTime?
    private var rest = HostTime.zero
    private var lastTold = HostTime.zero
    private var isClosed = false

    /// - Parameter address: who has the call. Whatever of its handshake comes twice is not answered.
    init(
        _ phone: PeerPhone, _ request: PeerRequest, _ judge: PeerJudge, _ capabilities: AudioCapabilities,
        beside socket: UDPLink, talkingTo address: SocketAddress
    ) throws {
        (self.phone, self.request, self.judge, self.capabilities) = (phone, request, judge, capabilities)
        self.socket = try UDPLink(besides: socket, of: address)
        others = OthersLink(over: self.socket, except: address)
        mail = try PeerMail()
        link = try PeerLink(
            .callee, over: others, identity: phone.identity, trust: judge.trust(try phone.folder.known()),
            capabilities: capabilities, mail: mail, now: .monotonicNow())
    }

    /// Readable when somebody calls; none while it rests.
    var fileDescriptors: [Int32] { isClosed || HostTime.monotonicNow() < rest ? [] : socket.fileDescriptors }

    /// When `step` is to be called though nobody called.
    var nextDeadline: HostTime? {
        guard !isClosed else { return nil }
        let due = [link.nextDeadline, limit].compactMap(\.self).min()
        guard HostTime.monotonicNow() < rest else { return due }
        return rest
    }

    /// - Returns: what is told of those who called, at most once a second.
    func step(now: HostTime) -> [EventBody] {
        guard !isClosed, now >= rest else { return [] }
        link.receive(now: now) { _ in }
        if others.takeHeard() { rest = now.advanced(byMilliseconds: Self.restMilliseconds) }
        link.advance(to: now)
        var told: [EventBody] = []
        var isOver = limit.map { now >= $0 } ?? false
        for news in mail.news.takeAll() {
            switch news {
            // Who may not call is told nothing.
            case .undecided, .connected:
                guard let address = link.peerAddress, request.mayCall(from: address) else {
                    isOver = true
                    continue
                }
                told += take(news, now)
            case .closed, .failed: isOver = true
            // Who is refused, whatever for, has time to hear it.
            case .turnedAway, .dialog: break
            }
        }
        if isOver || (limit != nil && link.isSettled) { waitAgain(now) }
        return told
    }

    private func take(_ news: PeerMail.News, _ now: HostTime) -> [EventBody] {
        guard case .connected(let session) = news else {
            link.accept(now: now)
            return []
        }
        limit = now.advanced(byMilliseconds: Self.patienceMilliseconds)
        mail.leave(.refuse(.busy, "the other side is in another call"))
        link.advance(to: now)
        return tell(session, now)
    }

    private func tell(_ session: DTLSSession, _ now: HostTime) -> [EventBody] {
        guard now.milliseconds(since: lastTold) >= 1000 else { return [] }
        lastTold = now
        let name = (try? phone.folder.known())?.names(of: session.peer).first ?? "somebody who is not known"
        let place = link.peerAddress.map { " at \($0.address)" } ?? ""
        return [.warning("\(name)\(place) called meanwhile, and was told that it is busy")]
    }

    private func waitAgain(_ now: HostTime) {
        link.close(now: now)
        others.setPeer(nil)
        others.admit(.anyone)
        limit = nil
        do {
            mail = try PeerMail()
            link = try PeerLink(
                .callee, over: others, identity: phone.identity, trust: judge.trust(try phone.folder.known()),
                capabilities: capabilities, mail: mail, now: now)
        } catch {
            // Others hear nothing then.
            isClosed = true
        }
    }
}

/// What comes from everybody but one.
private final class OthersLink: LinkLayer {
    let lower: any PacketLink
    private let except: SocketAddress
    private var hasHeard = false

    init(over lower: any PacketLink, except: SocketAddress) { (self.lower, self.except) = (lower, except) }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            hasHeard = true
            if packet.source != except { deliver(&packet) }
        }
    }

    /// Whether anything has come since the last time.
    func takeHeard() -> Bool {
        defer { hasHeard = false }
        return hasHeard
    }
}
