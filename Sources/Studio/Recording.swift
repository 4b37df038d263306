import AudioFiles
import AudioUnits
import Softphone

/// A microphone joined to a file: what `yodel record` carries.
package struct Recording {
    let unit: any InputOutputUnit
    let recorder: FileRecorder

    /// Opens the device, then the file.
    /// - Parameters:
    ///   - path: ends in the format; a file that is there is replaced.
    ///   - processesVoice: echo cancellation, noise suppression and gain control, as in a call.
    ///   - seconds: recorded at most; nil has no limit.
    package init(
        _ path: String, format: StreamFormat, depth: AudioFileDepth, from device: DeviceChoice, processesVoice: Bool,
        seconds: Double?
    ) throws(SoftphoneError) {
        try PathCheck.distinct(written: [NamedFile("FILE", path)], read: device.filesRead)
        do { unit = try device.makeUnit(voiceProcessing: processesVoice) } catch { throw SoftphoneError(error) }
        do throws(AudioUnitError) {
            try unit.enable(input: true, output: false)
            try unit.setFormat(format, scope: .output, element: Element.input)
            // A device that does not open must not cost a file that is there already.
            try unit.initialize()
            let blockFrames = unit.maximumFramesPerSlice
            unit.uninitialize()
            let limit = seconds.map { Int(($0 * format.sampleRate).rounded()) }
            recorder = try FileRecorder(path: path, format: format, depth: depth, frameLimit: limit)
            try unit.setInputHandler(recorder.makeInputHandler(maximumFrames: blockFrames))
            try unit.initialize()
        } catch {
            throw SoftphoneError(error)
        }
    }
}
