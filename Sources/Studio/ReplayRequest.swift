import AudioFiles
import Codecs
import JitterBuffer
import Media
import Reporting
import Simulation
import Softphone

/// A replay that somebody wants: the receive path on a recorded network, or on a captured call, from files to files.
package struct ReplayRequest {
    /// What is heard goes here.
    package var output: String
    /// A line for each 10 ms goes here.
    package var table: String?
    /// The page to look at goes here.
    package var page: String?
    /// Of the files, Hz, and of a codec that has a choice; `nil` is 16,000, or with a capture the codec's.
    package var rate: Int?
    /// `nil` is Opus, or what the capture tells.
    package var codec: Codec?
    package var packetMilliseconds = 20
    /// Of Opus, bit/s.
    package var bitrate = Self.figuresBitrate
    package var latency = JitterBufferConfiguration().latency
    /// Whether the sender protects what it sends by the loss it is told of.
    package var protects = true
    /// Whether that includes copies (RFC 2198).
    package var copies = true
    /// Mean time between reports of loss, s.
    package var reportIntervalSeconds = 1.0
    /// Of everything random.
    package var seed: UInt64 = 1

    /// A replay's figures (docs/receive-figures.md) were taken at this bit rate, which is not a call's.
    package static let figuresBitrate = 30_000

    package init(to output: String) { self.output = output }

    /// Speech through a network.
    /// - Parameter trace: a file, or a scenario's name.
    package func play(_ input: String, through trace: String) throws(SoftphoneError) -> ReplayFigures {
        try checkFiles([NamedFile("--in", input), NamedFile("--trace", trace)])
        let kind = codec ?? .opus
        let rate = rate ?? 16_000
        var configuration = CallConfiguration(codec: kind, seed: seed)
        configuration.sampleRate = kind.runs(at: rate) ? rate : nil
        configuration.encoder.frameMilliseconds = packetMilliseconds
        configuration.encoder.bitrate = bitrate
        configuration.protect(protects, copies: copies, reportIntervalSeconds: reportIntervalSeconds)
        configuration.jitterBuffer = JitterBufferConfiguration(latency: latency, seed: seed)
        let codecRate = configuration.sampleRate ?? kind.sampleRate
        let network: NetworkTrace
        do { network = try NetworkTrace(named: trace) } catch { throw .request("\(error), in --trace") }
        let speech: [Float]
        do { speech = try AudioSamples.read(path: input, rate: codecRate, rawRate: rate) } catch { throw .audioFile(error) }
        let replay: TraceReplay
        do { replay = try TraceReplay(speech: speech, trace: network, configuration: configuration) } catch {
            throw SoftphoneError(error)
        }
        replay.run()
        return try write(
            ReplayPicture(
                title: trace, figures: replay.figures, rows: replay.rows, arrivals: replay.arrivals,
                heard: replay.heard, sampleRate: codecRate),
            rate: rate, silence: "no packet was ever heard through \(trace); give another network with --trace")
    }

    /// Throws where something that is written is one of the files that are read, or is written twice.
    func checkFiles(_ read: [NamedFile]) throws(SoftphoneError) {
        let written: [(String, String?)] = [("--out", output), ("--csv", table), ("--report", page)]
        try PathCheck.distinct(
            written: written.compactMap { option, path in path.map { NamedFile(option, $0) } }, read: read)
    }

    /// Writes what is heard, table and picture.
    /// - Parameters:
    ///   - picture: of the replay.
    ///   - rate: of the file, Hz; `nil` is that of the sound.
    ///   - silence: what to say where nothing was heard: why, and what to do.
    /// - Returns: the replay's figures.
    /// - Throws: what cannot be written, and `silence`, before anything is written.
    func write(_ picture: ReplayPicture, rate: Int?, silence: String) throws(SoftphoneError) -> ReplayFigures {
        guard picture.figures.meanDelayMs != nil else { throw .request(silence) }
        do throws(AudioFileError) {
            try AudioSamples.write(picture.heard, path: output, rate: picture.sampleRate, fileRate: rate)
            if let table {
                try WholeFile.write(
                    ([ReplayRow.header] + picture.rows.map(\.text)).map { $0 + "\n" }.joined(), path: table)
            }
            if let page { try WholeFile.write(picture.html, path: page) }
        } catch {
            throw .audioFile(error)
        }
        return picture.figures
    }
}
