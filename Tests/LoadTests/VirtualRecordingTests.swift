import AudioFiles
import Codecs
import Glibc
import Load
import Testing

@Suite("A recorded call in virtual time") struct VirtualRecordingTests {
    @Test(
        "is written while it runs, what came on the right, and its file is gone with the port", arguments: [Codec.pcmu, .opus])
    func recorded(codec: Codec) throws {
        var work = VirtualPort.Work(codec: codec, calls: 3)
        (work.sound, work.isRecorded) = (.announcement, true)
        var port: VirtualPort? = try VirtualPort(work)
        port?.run(milliseconds: 3000)
        let folder = try #require(port?.recordingFolder)
        for number in 1...work.calls {
            let reader = try AudioFileReader(path: "\(folder)/call-00000\(number).wav", channels: nil)
            #expect(reader.channels == 2)
            let samples = reader.read(maximumFrames: 4 * reader.sampleRate)
            #expect(samples.count / 2 > reader.sampleRate * 5 / 2)
            let levels = [0, 1].map { side in stride(from: side, to: samples.count, by: 2).map { abs(samples[$0]) }.max() ?? 0 }
            #expect(levels[0] < 0.001 && levels[1] > 0.05, "left, right: \(levels)")
        }
        port = nil
        #expect(access(folder, F_OK) != 0)
    }
}
