import Link
import Realtime

/// A layer below that agrees upon keys.
public protocol SRTPKeySource: PacketLink {
    /// Keys that were agreed since the last call; nil when there are none.
    func takeKeys() -> SRTPKeys?
}

/// The layer that encrypts and authenticates RTP and RTCP (RFC 3711, 7714), in place of `LatchingLink`: only a packet that
/// the peer's key made is handed on, and only such a one chooses or moves the peer.
///
/// ```
/// stream -> SRTPLink -> [DTLSLink] -> UDPLink
/// ```
/// Without keys nothing is sent and nothing is handed on. RTCP is always encrypted.
public final class SRTPLink: EncryptingLayer {
    public private(set) var lower: any PacketLink
    public var witness: (any WireWitness)?
    private let keySource: (any SRTPKeySource)?
    private var senders = ContextMemory<SRTPSender>(capacity: rememberedKeys)
    private var receivers = ContextMemory<SRTPReceiver>(capacity: rememberedKeys)
    private var sender: SRTPSender?
    private var receiver: SRTPReceiver?
    /// Under the key before this one, for what is still on its way.
    private var former: (receiver: SRTPReceiver, until: HostTime?)?
    private var movement = PeerMovement()
    private var controlSource: SocketAddress?
    private var events: [LinkEvent] = []
    private var counters = SRTPStatistics()
    private var drops = LinkStatistics()
    /// Why keys of the layer below could not be used.
    public private(set) var error: SRTPError?

    /// How long packets under the former key are taken after the first one under the new key, in milliseconds.
    public static let formerKeyMilliseconds = 2000.0
    /// Keys of each direction, those in force included, whose replay windows and rollover counters are remembered: who goes back to
    /// an older one begins it anew.
    public static let rememberedKeys = 8

    /// - Parameter lower: if it agrees upon keys (`SRTPKeySource`), they are used as they come.
    public init(over lower: any PacketLink) {
        self.lower = lower
        keySource = lower as? any SRTPKeySource
        // Not when the keys come: then packets wait. What is missing is told with them.
        try? Self.prepare()
    }

    /// What was counted.
    public var srtp: SRTPStatistics {
        var result = counters
        result.suite = sender?.key.suite
        result.resynchronized += receivers.contexts.reduce(0) { $0 + $1.resynchronized }
        return result
    }

    /// Whether packets can be sent.
    public var hasKeys: Bool { sender != nil }

    /// Uses `keys` from now on. A direction whose key is the same goes on as it was; packets under the former key of the other
    /// one are taken until the first under the new key, and two seconds longer. A key from before, one of the last
    /// `rememberedKeys`, goes on where it was left.
    public func setKeys(_ keys: SRTPKeys) throws(SRTPError) {
        let newSender = try senders.context(of: keys.outbound).context
        let (newReceiver, forgotten) = try receivers.context(of: keys.inbound)
        counters.resynchronized += forgotten?.resynchronized ?? 0
        if receiver !== newReceiver {
            former = receiver.map { ($0, nil) }
            receiver = newReceiver
        }
        sender = newSender
    }

    /// Stands on another link from now on: keys, replay windows and rollover counters stay, and the peer's address is learnt
    /// anew. For keys that were set: those of a layer that agrees upon them belong to it.
    public func setLower(_ lower: any PacketLink) {
        guard lower !== self.lower else { return }
        self.lower = lower
        (movement, controlSource) = (PeerMovement(), nil)
    }

    private func adoptKeys() {
        guard let keys = keySource?.takeKeys() else { return }
        do {
            try setKeys(keys)
        } catch {
            self.error = error
            events.append(.notSecured(reason: "\(error)", isCertificate: false))
        }
    }

    /// Loads the library and has its ciphers tested, which takes some 25 ms once: for whoever waits for calls, so that the first one
    /// waits no longer than the next.
    /// - Throws: the library is missing.
    public static func prepare() throws(SRTPError) { _ = try SRTPLibrary.shared.get() }

    // MARK: - Packets

    @discardableResult
    public func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        if sender == nil { adoptKeys() }
        guard let sender, sender.protect(&packet) else {
            counters.unsent += 1
            return false
        }
        if let witness, let peer = lower.peer { witness.note(sent: packet, to: peer) }
        return lower.send(&packet, now: now)
    }

    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            adoptKeys()
            switch packet.kind {
            case .rtp where !packet.isOnControlPort: receive(&packet, isControl: false, now: now, deliver)
            case .rtcp: receive(&packet, isControl: true, now: now, deliver)
            default: drops[.garbage] += 1
            }
        }
        adoptKeys()
    }

    private func receive(
        _ packet: inout ReceivedPacket, isControl: Bool, now: HostTime, _ deliver: (inout ReceivedPacket) -> Void
    ) {
        witness?.note(received: packet)
        guard receiver != nil else {
            counters.early += 1
            drops[.stranger] += 1
            return
        }
        switch unprotect(packet.bytes, isControl: isControl, now: now) {
        case .success(let accepted):
            counters.accepted += 1
            if isControl { note(control: packet) } else if accepted.isNewest { follow(packet) }
            packet.bytes = UnsafeMutableRawBufferPointer(rebasing: packet.bytes[..<accepted.length])
            deliver(&packet)
        case .failure(let status):
            switch status {
            case .replayed:
                counters.replayed += 1
                movement.noteReplay(packet.source, at: packet.arrival)
            case .failed: counters.failed += 1
            }
            drops[.stranger] += 1
        }
    }

    private func unprotect(
        _ bytes: UnsafeMutableRawBufferPointer, isControl: Bool, now: HostTime
    ) -> Result<SRTPReceiver.Accepted, SRTPStatus> {
        guard let receiver else { return .failure(.failed) }
        guard let former else {
            return isControl ? receiver.unprotect(rtcp: bytes) : receiver.unprotect(rtp: bytes, now: now)
        }
        // Two keys are tried by turns: the first try may leave the packet damaged.
        let copy = [UInt8](bytes)
        let result = isControl ? receiver.unprotect(rtcp: bytes) : receiver.unprotect(rtp: bytes, now: now)
        if case .success = result {
            if former.until == nil { self.former?.until = now.advanced(byMilliseconds: Self.formerKeyMilliseconds) }
            return result
        }
        bytes.copyBytes(from: copy)
        let second =
            isControl ? former.receiver.unprotect(rtcp: bytes) : former.receiver.unprotect(rtp: bytes, now: now)
        guard case .failure(let status) = second else { return second }
        if case .failure(.replayed) = result { return result }
        return .failure(status)
    }

    // MARK: - The peer

    /// Takes where an authenticated packet on RTP's port comes from.
    private func follow(_ packet: ReceivedPacket) {
        guard let event = movement.note(packet.source, at: packet.arrival) else { return }
        controlSource = nil
        guard lower.peer?.media != packet.source else { return }
        events.append(event)
        lower.setPeer(LinkPeer(media: packet.source))
    }

    /// RTCP on a port of its own may come from any port behind an address translator. On RTP's port it chooses and moves the
    /// peer too: who only listens sends nothing else.
    private func note(control packet: ReceivedPacket) {
        guard packet.isOnControlPort else { return follow(packet) }
        guard packet.source != controlSource, let peer = lower.peer else { return }
        controlSource = packet.source
        if peer.control != packet.source { lower.setPeer(LinkPeer(media: peer.media, control: packet.source)) }
    }

    // MARK: - Time

    public func advance(to now: HostTime) {
        lower.admit(movement.admitted(at: now))
        lower.advance(to: now)
        adoptKeys()
        if let until = former?.until, now > until { former = nil }
    }

    public func nextEvent() -> LinkEvent? { events.isEmpty ? lower.nextEvent() : events.removeFirst() }

    public var statistics: LinkStatistics {
        var result = lower.statistics
        result.deduct(dropsOf: drops)
        let counted = srtp
        result.encryption = LinkEncryption(
            suite: counted.suite?.rawValue, replayed: counted.replayed, failed: counted.failed)
        return result
    }
}
