import JitterBuffer
import Testing

@Suite struct SoundWriterTests {
    private func deliver(skip: Int) -> (pending: Int, ledger: PlayoutLedger) {
        let codec = LevelDecoder()
        let decoder = StreamDecoder(codec: codec, frame: 160)
        var writer = SoundWriter(
            sampleRate: 8000, frame: 160, longestPacket: 960, seed: 1, tuning: JitterBufferTuning())
        var pull = Pull(wanted: 80, start: 0, packets: PacketBuffer(decoder: codec), record: PlayoutRecord())
        LevelPacket.payload().withUnsafeBytes { _ = decoder.decode($0, duration: 160) }
        writer.deliver(decoder.decoded, count: 160, skip: skip, stretch: 0, isInSilence: false, &pull)
        return (writer.pending, pull.record.ledger)
    }

    @Test("What is too late is left out, the rest waits to be taken", arguments: [0, 40, 160, 1000])
    func skip(count: Int) {
        let (pending, ledger) = deliver(skip: count)
        #expect(pending == max(0, 160 - count))
        #expect(ledger.decoded == Int64(pending))
    }

    @Test("A gap opens with what is concealed and closes with what is decoded")
    func gap() {
        let codec = LevelDecoder()
        let decoder = StreamDecoder(codec: codec, frame: 160)
        var writer = SoundWriter(
            sampleRate: 8000, frame: 160, longestPacket: 960, seed: 1, tuning: JitterBufferTuning())
        var pull = Pull(wanted: 80, start: 0, packets: PacketBuffer(decoder: codec), record: PlayoutRecord())
        writer.conceal(80, by: decoder, isEmpty: true, isInSilence: false, &pull)
        var (gap, pending) = (writer.gap, writer.pending)
        let reason = pull.reason
        #expect(gap.isOpen && pending == 80 && reason == .concealShort)
        writer.lastSound = .normal
        LevelPacket.payload().withUnsafeBytes { _ = decoder.decode($0, duration: 160) }
        writer.deliver(decoder.decoded, count: 160, skip: 0, stretch: 0, isInSilence: false, &pull)
        (gap, pending) = (writer.gap, writer.pending)
        #expect(!gap.isOpen && pending == 240)
        var output = [Float](repeating: .nan, count: 300)
        let taken = output.withUnsafeMutableBufferPointer { writer.take(into: $0.baseAddress!, count: 300) }
        pending = writer.pending
        #expect(taken == 240 && pending == 0)
        let ledger = pull.record.ledger
        #expect(ledger.concealed == 80 && ledger.decoded == 160)
    }
}
