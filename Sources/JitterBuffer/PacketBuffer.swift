import Codecs

/// What the buffer knows of a stored packet; its payload lies in a slot.
package struct StoredPacket: BitwiseCopyable {
    /// How it came.
    package enum Kind: UInt8, BitwiseCopyable { case audio, redundant, comfortNoise }

    package var sequence: Int64
    /// First sample, on the stream's sample axis.
    package var position: Int64
    /// Samples it decodes to.
    package var duration: Int64
    fileprivate var slot: Int32 = 0
    fileprivate var payloadLength: Int32 = 0
    package var kind: Kind
    /// Whether it holds in-band FEC: a copy of the audio before it at a lower rate.
    package var carriesFEC: Bool
    /// Whether it announces silence instead of carrying sound.
    package var isSilence: Bool
    /// Whether a machine stood still shortly before it came.
    package var isAmongStops: Bool
    /// When it arrived, in milliseconds since the stream's epoch.
    package var arrival: Double

    package init(
        sequence: Int64, position: Int64, duration: Int64, kind: Kind = .audio, carriesFEC: Bool = false,
        isSilence: Bool = false, isAmongStops: Bool = false, arrival: Double = 0
    ) {
        self.sequence = sequence
        self.position = position
        self.duration = duration
        self.kind = kind
        self.carriesFEC = carriesFEC
        self.isSilence = isSilence
        self.isAmongStops = isAmongStops
        self.arrival = arrival
    }

    package var end: Int64 { position &+ duration }
}

/// Packets waiting for their turn, in the order of their sound. Memory is taken once: `capacity` slots of `slotBytes`, and as many short
/// ones side by side, in which most payloads fit: those of a call are in one page of memory instead of a page each.
package final class PacketBuffer {
    package enum Insertion: Equatable {
        case stored(reordered: Bool)
        case duplicate
        case full
    }

    /// 128 packets are 1.28 s of the shortest usual packets.
    package static let capacity = 128
    /// Longest payload that is taken.
    package let slotBytes: Int

    /// Bytes of a short slot: an encoder of speech rarely makes more of 20 ms.
    private static let shortBytes = 256

    private let slots: UnsafeMutableRawPointer
    private let shortSlots: UnsafeMutableRawPointer
    private let order: UnsafeMutablePointer<StoredPacket>
    private let freeSlots: UnsafeMutablePointer<Int32>
    // Confined to one thread.
    @exclusivity(unchecked) private var freeCount = PacketBuffer.capacity
    @exclusivity(unchecked) package private(set) var count = 0

    /// A buffer for the payloads of a codec.
    package convenience init(decoder: any AudioDecoder) {
        // A payload of 16-bit samples is the longest there is; 8 KiB covers 120 ms of Opus at its highest rate.
        self.init(slotBytes: decoder.longestPayloadBytes ?? max(8192, 2 * decoder.maximumFrames))
    }

    package init(slotBytes: Int) {
        self.slotBytes = slotBytes
        slots = .allocate(byteCount: Self.capacity * slotBytes, alignment: 16)
        shortSlots = .allocate(byteCount: Self.capacity * Self.shortBytes, alignment: 16)
        order = .allocate(capacity: Self.capacity)
        freeSlots = .allocate(capacity: Self.capacity)
        // A stack: the same few slots are used again and again, so the others never become resident memory.
        for index in 0..<Self.capacity { freeSlots[index] = Int32(Self.capacity - 1 - index) }
    }

    deinit {
        slots.deallocate()
        shortSlots.deallocate()
        order.deallocate()
        freeSlots.deallocate()
    }

    package subscript(index: Int) -> StoredPacket { order[index] }
    package var first: StoredPacket? { count > 0 ? order[0] : nil }
    package var isFull: Bool { count == Self.capacity }

    package func payload(of packet: StoredPacket) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: place(of: packet), count: Int(packet.payloadLength))
    }

    private func place(of packet: StoredPacket) -> UnsafeMutableRawPointer {
        let isShort = packet.payloadLength <= Self.shortBytes
        return isShort ? shortSlots + Int(packet.slot) * Self.shortBytes : slots + Int(packet.slot) * slotBytes
    }

    /// Files the packet by its position; most packets go to the end, so the search starts there. A packet takes the place
    /// of its own copy.
    package func insert(_ packet: StoredPacket, payload: UnsafeRawBufferPointer) -> Insertion {
        guard payload.count <= slotBytes, let source = payload.baseAddress else { return .full }
        var index = count
        while index > 0, order[index - 1].position > packet.position { index -= 1 }
        var stored = packet
        stored.payloadLength = Int32(payload.count)
        if index > 0, order[index - 1].position == packet.position {
            guard order[index - 1].kind == .redundant, packet.kind != .redundant else { return .duplicate }
            stored.slot = order[index - 1].slot
            order[index - 1] = stored
            write(source, of: stored)
            return .stored(reordered: index < count)
        }
        for other in 0..<count where order[other].sequence == packet.sequence && order[other].kind == packet.kind {
            return .duplicate
        }
        guard freeCount > 0 else { return .full }
        freeCount -= 1
        stored.slot = freeSlots[freeCount]
        write(source, of: stored)
        var move = count
        while move > index {
            order[move] = order[move - 1]
            move -= 1
        }
        order[index] = stored
        count += 1
        return .stored(reordered: index < count - 1 && packet.kind != .redundant)
    }

    private func write(_ source: UnsafeRawPointer, of packet: StoredPacket) {
        place(of: packet).copyMemory(from: source, byteCount: Int(packet.payloadLength))
    }

    /// The in-band FEC in the first packet turned out to be none.
    package func dropFECOfFirst() { if count > 0 { order[0].carriesFEC = false } }

    package func removeFirst() {
        guard count > 0 else { return }
        freeSlots[freeCount] = order[0].slot
        freeCount += 1
        count -= 1
        for index in 0..<count { order[index] = order[index + 1] }
    }

    package func removeAll() {
        while count > 0 {
            count -= 1
            freeSlots[freeCount] = order[count].slot
            freeCount += 1
        }
    }

    /// Samples that follow `position` without a gap.
    package func contiguousSamples(from position: Int64) -> Int64 {
        var end = position
        for index in 0..<count {
            guard order[index].position <= end else { break }
            end = max(end, order[index].end)
        }
        return end &- position
    }
}
