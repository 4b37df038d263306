import AudioFiles
import AudioUnits
import Reporting
import Simulation
import Softphone

/// The voice-processing unit of a call on files: what `yodel process` carries.
package struct ProcessRequest {
    /// What the loudspeaker plays, a file.
    package var far: String
    /// What the microphone picks up, a file.
    package var microphone: String
    /// The processed microphone goes here.
    package var output: String
    /// Of the call and of raw files in Hz: 8000, 12,000, 16,000, 24,000, 32,000 or 48,000; with SpeexDSP alone each multiple
    /// of 100 between them.
    package var rate: Int
    package var voice = VoiceProcessingConfiguration()
    /// Takes every signal inside the unit.
    package var dumpFolder: String?
    package var cancelsEcho = true
    package var suppressesNoise = true
    package var controlsGain = true

    package init(far: String, microphone: String, to output: String, rate: Int) {
        (self.far, self.microphone, self.output, self.rate) = (far, microphone, output, rate)
    }

    /// Whether voice processing with that canceller runs at `rate` Hz.
    package static func takes(rate: Int, _ canceller: VoiceProcessingConfiguration.Canceller.Name) -> Bool {
        guard VoiceProcessingIO.sampleRates.contains(Double(rate)), rate % 100 == 0 else { return false }
        return canceller == .speexdsp || EchoController.supports(rate: rate)
    }

    /// Reads, processes and writes.
    package func run() throws(SoftphoneError) -> ProcessReport {
        try PathCheck.distinct(
            written: [NamedFile("--out", output)] + NamedFile.dumped(in: dumpFolder),
            read: [NamedFile("--far", far), NamedFile("--mic", microphone)])
        let (far, microphone) = (try read(far), try read(microphone))
        let run: VoiceProcessingRun
        var report: ProcessReport
        do {
            run = try VoiceProcessingRun(
                far: far, microphone: microphone, sampleRate: rate, configuration: voice, dumpFolder: dumpFolder)
            run.unit.echoCancellation = cancelsEcho
            run.unit.noiseSuppression = suppressesNoise
            run.unit.automaticGainControl = controlsGain
            report = try run.run()
        } catch .audioUnit(.outOfRange(setting: "noiseSuppressionDecibels", let allowed)) {
            throw .setting("--noise-suppression-db", allowed: allowed)
        } catch {
            throw SoftphoneError(error)
        }
        do { try AudioSamples.write(run.output, path: output, rate: rate) } catch { throw .audioFile(error) }
        report.sampleRate = rate
        report.echoCanceller = cancelsEcho ? voice.canceller.name.rawValue : nil
        report.quality = voice.quality.rawValue
        return report
    }

    private func read(_ path: String) throws(SoftphoneError) -> [Float] {
        do { return try AudioSamples.read(path: path, rate: rate) } catch { throw .audioFile(error) }
    }
}
