import AudioDevices
import AudioFiles
import AudioUnits
import Codecs
import JitterBuffer
import Media
import PacketCapture
import Simulation
import Softphone

extension ReplayCommand {
    /// `--pcap`: plays a capture.
    func runCapture(_ path: String) throws(CommandError) {
        let streams: CaptureStreams
        do { streams = try CaptureStreams(path: path) } catch { throw CommandError(error) }
        if let end = streams.end {
            // What a killed call left behind is good up to its last block; of another's file that is not known.
            guard streams.isOurs else { throw CommandError(end) }
            logger.warning("\(end); what comes before is played")
        }
        let replay = try makeReplay(streams, path: path)
        do {
            try replay.run()
        } catch {
            if !streams.isOurs { throw CommandError(error) }
        }
        if let leftOut = replay.leftOut {
            Output.error.line("yodel: warning: \(path) is not played whole: \(leftOut.text())")
        }
        do {
            try AudioSamples.write(replay.heard, path: out, rate: replay.sampleRate, fileRate: rate)
            try finish(
                ReplayPicture(
                    title: path, figures: replay.figures, rows: replay.rows, arrivals: replay.arrivals,
                    heard: replay.heard, sampleRate: replay.sampleRate))
        } catch {
            throw CommandError(error)
        }
    }

    private func makeReplay(_ streams: CaptureStreams, path: String) throws(CommandError) -> CaptureReplay {
        let configuration = try configuration(streams, path: path)
        let reader: CaptureReader
        do { reader = try CaptureReader(path: path) } catch { throw CommandError(error) }
        do {
            return try CaptureReplay(reader, ssrc: chosen(streams), configuration: configuration)
        } catch {
            throw CommandError(error)
        }
    }

    /// The source to play; `nil` follows a capture of ours through all of them.
    private func chosen(_ streams: CaptureStreams) -> UInt32? {
        source ?? (streams.isOurs ? nil : streams.streams.first?.ssrc)
    }

    private func configuration(_ streams: CaptureStreams, path: String) throws(CommandError) -> CallConfiguration {
        if let stream = StreamConfiguration(captureSettings: streams.settings, seed: seed) {
            return CallConfiguration(stream: stream)
        }
        let wanted = source ?? streams.streams.first?.ssrc
        guard let stream = streams.streams.first(where: { $0.ssrc == wanted }) else {
            let there = streams.streams.prefix(8).map { "0x\(String($0.ssrc, radix: 16)) (\($0.packets) packets)" }
            let hint = there.isEmpty ? "it holds no RTP stream" : "it holds the sources \(there.joined(separator: ", "))"
            throw CommandError(.usage, "no RTP of the source wanted, \(path); \(hint)")
        }
        let kind: Codec
        if let fixed = Codec.withStaticPayloadType(stream.payloadType) {
            kind = fixed
        } else if stream.payloadType < Codec.firstDynamicPayloadType, codec == nil {
            throw CommandError(
                .usage,
                "payload type \(stream.payloadType) is of none of our codecs, \(path); "
                    + "if it is one of \(Codec.names), name it with --codec")
        } else {
            kind = codec ?? .opus
        }
        var configuration = CallConfiguration(codec: kind, seed: seed)
        configuration.payloadType = stream.payloadType
        configuration.encoder.frameMilliseconds = ptime
        configuration.sampleRate = rate.flatMap { kind.runs(at: $0) ? $0 : nil }
        configuration.jitterBuffer = JitterBufferConfiguration(
            latency: latency, seed: seed)
        return configuration
    }
}
