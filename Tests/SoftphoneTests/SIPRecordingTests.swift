import AudioDevices
import Foundation
import Reporting
import Softphone
import Testing

@Suite("What is recorded of a call by SIP") struct SIPRecordingTests {
    private func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int).flatMap { $0 } ?? 0
    }

    @Test(
        "stays where the media begin anew, and goes on in a file of its own; what was asked for by request ends, and that is told"
    )
    func mediaBeginAnew() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-recording-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let listener = try Listener()
        var media = try CallRequest.test(["rtp://127.0.0.1:9"], role: .call).media
        let file = DeviceSpecification.file(capture: nil, playback: "\(folder)/device.wav", loop: false)
        (media.device.input, media.device.output) = (file, file)
        let request = SIPRequest(.call(listener.uri), codecs: [.pcmu], media: media)
        let phone = try Softphone().connect(request)
        let caller = try Followed(of: try phone.nextCall(request))
        try heard(caller)
        try caller.call.record(to: "\(folder)/asked.wav")
        try heard(caller)
        var sound = request.sound
        sound.device.input = .file(capture: "\(folder)/nothing.wav", playback: nil, loop: false)
        sound.device.output = sound.device.input
        #expect(throws: SoftphoneError.self) { try caller.call.take(sound) }
        try caller.wait("the recording's end is told") { $0.types.contains("call_recording_ended") }
        try heard(caller)
        try caller.call.record(to: "\(folder)/again.wav")
        try heard(caller)
        _ = caller.close()
        phone.close()
        listener.close()
        // 20 packets of 20 ms and more, at 8 kHz and two bytes a sample at least.
        for name in ["device.wav", "device-2.wav", "asked.wav", "again.wav"] {
            #expect(size("\(folder)/\(name)") > 6000, "\(name)")
        }
    }
}
