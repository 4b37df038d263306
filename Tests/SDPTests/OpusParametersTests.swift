import SDP
import Testing

@Suite("Parameters of Opus") struct OpusParametersTests {
    @Test("nothing told means what RFC 7587 assumes, and is printed as nothing")
    func defaults() {
        let read = OpusParameters("")
        #expect(read == OpusParameters())
        #expect(read.maximumPlaybackRate == 48_000 && !read.stereo && !read.inbandFEC)
        #expect(read.text.isEmpty)
    }

    @Test("every parameter of the RFC is read and written")
    func all() {
        let text =
            "maxplaybackrate=16000;sprop-maxcapturerate=24000;minptime=10;maxaveragebitrate=20000;stereo=1;"
            + "sprop-stereo=1;cbr=1;useinbandfec=1;usedtx=1"
        let read = OpusParameters(text)
        #expect(read.maximumPlaybackRate == 16_000)
        #expect(read.maximumCaptureRate == 24_000)
        #expect(read.minimumPacketTime == 10)
        #expect(read.maximumAverageBitRate == 20_000)
        #expect(
            read.stereo && read.sendsStereo && read.constantBitRate && read.inbandFEC && read.discontinuousTransmission)
        #expect(read.text == text)
    }

    @Test("spaces, upper case and unknown parameters do no harm")
    func lenient() {
        let read = OpusParameters(" UseInBandFEC=1 ; maxptime=60;;  stereo = 0 ; x-google-min-bitrate=6")
        #expect(read.inbandFEC)
        #expect(!read.stereo)
        #expect(read.others == ["maxptime=60", "x-google-min-bitrate=6"])
        #expect(read.text == "useinbandfec=1;maxptime=60;x-google-min-bitrate=6")
    }

    @Test(
        "a value outside its range is as good as absent",
        arguments: [
            "maxplaybackrate=7999", "maxplaybackrate=48001", "maxaveragebitrate=0",
            "maxaveragebitrate=99999999999999999999",
            "useinbandfec=2", "useinbandfec=", "useinbandfec", "minptime=-3", "minptime=121", "=1", ";;;",
        ])
    func outOfRange(text: String) { #expect(OpusParameters(text) == OpusParameters()) }
}
