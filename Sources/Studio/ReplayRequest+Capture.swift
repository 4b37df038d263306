import Codecs
import JitterBuffer
import Media
import PacketCapture
import Simulation
import Softphone

extension ReplayRequest {
    /// A captured call.
    /// - Parameters:
    ///   - source: which; `nil` is the longest, and in a capture of ours all of them in turn.
    ///   - onOmission: told what of the capture is not played.
    package func playCapture(
        _ path: String, source: UInt32?, onOmission: (String) -> Void
    ) throws(SoftphoneError) -> ReplayFigures {
        try checkFiles([NamedFile("--pcap", path)])
        let streams = try streams(path)
        let replay = try played(path, streams, source: source, onOmission: onOmission)
        let arrivals = replay.arrivals
        let reason = arrivals.isEmpty ? "holds no packet of the payload type that is played" : "holds packets, but no sound"
        return try write(
            ReplayPicture(
                title: path, figures: replay.figures, rows: replay.rows, arrivals: arrivals,
                heard: replay.heard, sampleRate: replay.sampleRate),
            rate: rate,
            silence: "\(path) \(reason); \(remedy(streams, source))")
    }

    /// What to do where nothing was heard.
    private func remedy(_ streams: CaptureStreams, _ source: UInt32?) -> String {
        guard CallConfiguration(captureSettings: streams.settings, seed: seed) != nil else {
            return "choose another source with --ssrc, or name its codec with --codec"
        }
        // It names its codec itself.
        if streams.streams.isEmpty { return "nobody was heard in that call, and there is no source that --ssrc could choose" }
        return source == nil
            ? "play one of its sources alone with --ssrc: \(names(streams))"
            : "leave out --ssrc, or choose another of its sources: \(names(streams))"
    }

    private func names(_ streams: CaptureStreams) -> String {
        let all = streams.streams.prefix(8).map { "0x\(String($0.ssrc, radix: 16)) (\($0.packets) packets)" }
        return all.joined(separator: ", ")
    }

    /// The streams of a capture.
    /// - Parameter path: of the capture.
    /// - Returns: what was found until it ends, or breaks off.
    /// - Throws: what is no capture.
    func streams(_ path: String) throws(SoftphoneError) -> CaptureStreams {
        do { return try CaptureStreams(path: path) } catch { throw .request(error.description) }
    }

    /// A capture, played to its end.
    /// - Parameters:
    ///   - path: of the capture.
    ///   - streams: of it.
    ///   - source: which; `nil` is the longest, and in a capture of ours all of them in turn.
    ///   - onOmission: told what of the capture is not played.
    /// - Returns: what was heard, and found.
    /// - Throws: what is no capture, or has no such source.
    func played(
        _ path: String, _ streams: CaptureStreams, source: UInt32?, onOmission: (String) -> Void
    ) throws(SoftphoneError) -> CaptureReplay {
        if let end = streams.end {
            // What a killed call left behind is good up to its last block; of another's file that is not known.
            guard streams.isOurs else { throw .request(end.description) }
            logger.warning("\(end); what comes before is played")
        }
        let replay = try makeReplay(streams, source, path: path)
        do {
            try replay.run()
        } catch {
            if !streams.isOurs { throw .request(error.description) }
        }
        if let leftOut = replay.leftOut { onOmission("\(path) is not played whole: \(leftOut.text())") }
        return replay
    }

    private func makeReplay(
        _ streams: CaptureStreams, _ source: UInt32?, path: String
    ) throws(SoftphoneError) -> CaptureReplay {
        let configuration = try configuration(streams, source, path: path)
        let reader: CaptureReader
        do { reader = try CaptureReader(path: path) } catch { throw .request(error.description) }
        let chosen = source ?? (streams.isOurs ? nil : streams.streams.first?.ssrc)
        do {
            return try CaptureReplay(reader, ssrc: chosen, configuration: configuration)
        } catch {
            throw SoftphoneError(error)
        }
    }

    private func configuration(
        _ streams: CaptureStreams, _ source: UInt32?, path: String
    ) throws(SoftphoneError) -> CallConfiguration {
        if let kind = streams.settings[CallConfiguration.captureEncryption] {
            throw .request(
                "the packets are encrypted (\(kind)), as they were on the wire, \(path); "
                    + "what was captured with --capture-decrypted can be played")
        }
        if let ours = CallConfiguration(captureSettings: streams.settings, seed: seed) { return ours }
        let wanted = source ?? streams.streams.first?.ssrc
        guard let stream = streams.streams.first(where: { $0.ssrc == wanted }) else {
            let none = "it holds no RTP stream" + (streams.noStreamReason.map { ": \($0)" } ?? "")
            let hint = streams.streams.isEmpty ? none : "it holds the sources \(names(streams))"
            throw .request("no RTP of the source wanted, \(path); \(hint)")
        }
        let kind: Codec
        if let fixed = Codec.withStaticPayloadType(stream.payloadType) {
            kind = fixed
        } else if stream.payloadType < Codec.firstDynamicPayloadType, codec == nil {
            throw .request(
                "payload type \(stream.payloadType) is of none of our codecs, \(path); "
                    + "if it is one of \(Codec.names), name it with --codec")
        } else {
            kind = codec ?? .opus
        }
        var configuration = CallConfiguration(codec: kind, seed: seed)
        configuration.payloadType = stream.payloadType
        configuration.alsoReceives = stream.otherFormats
        configuration.encoder.frameMilliseconds = packetMilliseconds
        configuration.sampleRate = rate.flatMap { kind.runs(at: $0) ? $0 : nil }
        configuration.jitterBuffer = JitterBufferConfiguration(latency: latency, seed: seed)
        return configuration
    }
}
