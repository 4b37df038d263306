import AudioDevices
import AudioUnits
import Calling
import Codecs
import JitterBuffer
import PacketCapture
import Simulation

extension ReplayCommand {
    /// `--pcap`: plays a capture.
    func runCapture(_ path: String) throws {
        do throws(CaptureError) {
            let streams = try CaptureStreams(path: path)
            if let end = streams.end {
                // What a killed call left behind is good up to its last block; of another's file that is not known.
                guard streams.isOurs else { throw end }
                logger.warning("\(end); what comes before is played")
            }
            let configuration = try configuration(streams, path: path)
            let replay: CaptureReplay
            do {
                replay = try CaptureReplay(
                    try CaptureReader(path: path), ssrc: chosen(streams), configuration: configuration)
            } catch let error as CallError {
                throw CommandError(error)
            }
            do throws(CaptureError) { try replay.run() } catch { if !streams.isOurs { throw error } }
            do throws(DeviceError) {
                try MonoAudioFile.write(replay.heard, at: replay.sampleRate, to: out, fileRate: rate ?? replay.sampleRate)
                try report(replay.figures, rows: replay.rows, of: path)
            } catch {
                throw CommandError(error)
            }
        } catch let error as CaptureError {
            throw CommandError(.usage, error.description)
        }
    }

    /// The source to play; `nil` follows a capture of ours through all of them.
    private func chosen(_ streams: CaptureStreams) -> UInt32? {
        source ?? (streams.isOurs ? nil : streams.streams.first?.ssrc)
    }

    private func configuration(_ streams: CaptureStreams, path: String) throws -> CallConfiguration {
        if let configuration = CallConfiguration(captureSettings: streams.settings, seed: seed) { return configuration }
        let wanted = source ?? streams.streams.first?.ssrc
        guard let stream = streams.streams.first(where: { $0.ssrc == wanted }) else {
            let there = streams.streams.prefix(8).map { "0x\(String($0.ssrc, radix: 16)) (\($0.packets) packets)" }
            let hint = there.isEmpty ? "it holds no RTP stream" : "it holds the sources \(there.joined(separator: ", "))"
            throw CommandError(.usage, "no RTP of the source wanted, \(path); \(hint)")
        }
        let kind: CodecKind =
            switch stream.payloadType {
            case 0: .pcmu
            case 8: .pcma
            default: codec.flatMap { CodecKind(rawValue: $0) } ?? .opus
            }
        var configuration = CallConfiguration(codec: kind, seed: seed)
        configuration.payloadType = stream.payloadType
        configuration.encoder.frameMilliseconds = ptime
        configuration.sampleRate = rate.flatMap { kind.runs(at: $0) ? $0 : nil }
        configuration.jitterBuffer = JitterBufferConfiguration(
            latency: LatencyProfile(rawValue: latency) ?? .balanced, seed: seed)
        return configuration
    }
}
