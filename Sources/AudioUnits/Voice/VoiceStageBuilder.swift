import Realtime

/// Builds what voice processing adds to an I/O unit's paths once the formats are settled.
enum VoiceStageBuilder {
    /// Without input there is nothing to process; without output the reference stays silent.
    static func make(
        _ control: IOControl, configuration: VoiceProcessingConfiguration, taps: VoiceTaps,
        controls: UnsafePointer<VoiceControls>, echoMeters: UnsafePointer<EchoMeters>,
        meters: UnsafePointer<UnitMeters>
    ) throws(AudioUnitError) -> IOCore.VoiceStages {
        guard control.enablesInput else { return IOCore.VoiceStages(processor: nil, reference: nil) }
        let format = control.inputFormat
        guard format.channels == 1 else {
            throw .formatUnsupported(format, reason: "voice processing is mono: set one channel on the input element")
        }
        guard VoiceProcessingIO.sampleRates.contains(format.sampleRate), Int(format.sampleRate) % 100 == 0 else {
            throw .formatUnsupported(format, reason: "voice processing runs at 8000 to 48000 Hz in steps of 100")
        }
        guard !control.enablesOutput || control.outputFormat.sampleRate == format.sampleRate else {
            throw .formatUnsupported(
                control.outputFormat, reason: "voice processing needs one rate on both elements")
        }
        let rate = format.sampleRate
        do {
            let ring = try RingEnds<Float>(minimumCapacity: Int(rate * ReferenceAligner.historySeconds))
            let anchors = TripleBuffer<ReferenceAnchor>(initial: ReferenceAnchor())
            let source = ReferenceSource(ring: ring.consumer, anchors: anchors.reader)
            let processor = try VoiceProcessor(
                sampleRate: rate, configuration: configuration, source: source, taps: taps, controls: controls,
                echoMeters: echoMeters, meters: meters)
            let processorPlace = UnsafeMutablePointer<VoiceProcessor>.allocate(capacity: 1)
            processorPlace.initialize(to: processor)
            let referencePlace = UnsafeMutablePointer<ReferenceWriter>.allocate(capacity: 1)
            referencePlace.initialize(
                to: ReferenceWriter(ring: ring.producer, anchors: anchors.writer, rate: rate))
            return IOCore.VoiceStages(processor: processorPlace, reference: referencePlace)
        } catch let error as AudioUnitError {
            throw error
        } catch {
            throw .noResources(reason: "\(error)")
        }
    }
}
