import Codecs
import Link
import Load
import Realtime
import Testing

@Suite("A picture of a load") struct LoadPictureTests {
    private let time = VirtualTime()

    /// A call of two packets, which lasts so long.
    private func call(_ number: Int, lateMilliseconds: Double, seconds: Int64) -> LoadCall {
        var random = SplitMix64(seed: 1)
        var call = LoadCall(
            number: number, local: SocketAddress(IPAddress(v4: 0x7f00_0001), port: 4000), .pcmu, firstPacket: 0,
            random: &random)
        call.noteSent(at: time.now, lateMilliseconds: lateMilliseconds)
        call.noteSent(at: time.now, lateMilliseconds: 0)
        time.pass(milliseconds: 1000 * seconds)
        call.noteGoodbye(at: time.now)
        return call
    }

    @Test("it shows how many calls ran, from the first packet on, and the load's greatest lateness in each")
    func drawn() {
        time.pass(milliseconds: 123_456)
        var picture = LoadPicture()
        for number in 0..<2 { picture.add(LoadCallReport(call(number, lateMilliseconds: 4, seconds: 5), nil)) }
        let svg = picture.svg("2 calls", packets: { 20 + 10 * $0 })
        // The first call runs from 0 to 5 s, of which ten are drawn; the second one after it.
        let steps = "M64.0 256.0L64.0 44.0L402.0 44.0L402.0 256.0L402.0 256.0L402.0 44.0L740.0 44.0L740.0 256.0"
        #expect(svg.contains(steps), "\(svg)")
        #expect(svg.contains("2 calls") && svg.contains("s since the first packet of the load"))
        #expect(svg.contains("M64.0 44.0h0M402.0 44.0h0"), "\(svg)")
    }

    @Test("a load that made no call, or heard nothing, has a picture that says so")
    func empty() {
        let svg = LoadPicture().svg("none", packets: { _ in nil })
        #expect(svg.components(of: "nothing was measured") == 3)
        var picture = LoadPicture()
        var random = SplitMix64(seed: 1)
        let unsent = LoadCall(
            number: 0, local: SocketAddress(IPAddress(v4: 0x7f00_0001), port: 4000), .pcmu, firstPacket: 0, random: &random)
        picture.add(LoadCallReport(unsent, nil))
        #expect(picture.svg("none", packets: { _ in nil }) == svg)
    }
}

extension String {
    /// How often `part` is in it.
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
