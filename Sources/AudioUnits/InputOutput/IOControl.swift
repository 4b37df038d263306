import Realtime

/// The settings of an I/O unit and what `initialize` builds of them.
///
/// Sendable: guarded by `IOCore`'s mutex.
struct IOControl: @unchecked Sendable {
    /// Slices longer than this are only made on request.
    static let defaultMaximumSlice = 1024

    var state = UnitState.uninitialized
    var enablesInput = false
    var enablesOutput = true
    var inputFormat = StreamFormat(sampleRate: 48_000)
    var outputFormat = StreamFormat(sampleRate: 48_000)
    /// Nil: as much as the device's blocks need, and at least the default.
    var maximumSlice: Int?
    var preferences = DeviceRequest()
    /// Source channel of each output channel, -1 for silence.
    var channelMap: [Int]?
    var handler: InputHandler?
    var callback: RenderCallback?
    var outputObservers: [RenderObserver] = []
    var inputObservers: [RenderObserver] = []
    var grant: DeviceGrant?
    private(set) var context: UnsafeMutablePointer<DeviceEntry.Context>?
    private var stages = IOCore.VoiceStages(processor: nil, reference: nil)

    /// Opens the device and builds everything the render threads will touch; on failure nothing stays behind.
    mutating func build(
        device: any HardwareDevice, line: InputLine, meters: UnsafeMutablePointer<UnitMeters>,
        stages make: (IOControl) throws(AudioUnitError) -> IOCore.VoiceStages
    ) throws(AudioUnitError) {
        guard enablesInput || enablesOutput else { throw .nothingEnabled }
        var request = preferences
        request.capture = enablesInput
        request.playback = enablesOutput
        let grant: DeviceGrant
        do {
            grant = try device.open(request)
        } catch {
            throw .device(error)
        }
        do throws(AudioUnitError) {
            try check(grant, device: device)
            self.grant = grant
            stages = try make(self)
            let place = UnsafeMutablePointer<DeviceEntry.Context>.allocate(capacity: 1)
            place.initialize(to: DeviceEntry.Context(meters: meters))
            context = place
            if let format = grant.capture, enablesInput {
                let frames = slice(format, inputFormat)
                let played = grant.playback.map { block($0, inputFormat) } ?? 0
                try line.open(
                    format: inputFormat, largestBlock: max(frames, block(format, inputFormat), played), meters: meters)
                let path = try CapturePath(
                    device: format, format: inputFormat, maximumSlice: frames, handler: handler,
                    observers: inputObservers, line: line.writer, voice: stages.processor, meters: meters)
                place.pointee.capture = .allocate(capacity: 1)
                place.pointee.capture?.initialize(to: path)
                meters.pointee.captureTurn.setPeriod(format)
                meters.pointee.captureFormat.store(format)
            }
            if let format = grant.playback, enablesOutput {
                let path = try PlaybackPath(
                    device: format, format: outputFormat, maximumSlice: slice(format, outputFormat),
                    callback: callback, observers: outputObservers, reference: stages.reference, meters: meters,
                    channelMap: channelMap, line: line.reader)
                place.pointee.playback = .allocate(capacity: 1)
                place.pointee.playback?.initialize(to: path)
                meters.pointee.playbackTurn.setPeriod(format)
                meters.pointee.playbackFormat.store(format)
            }
        } catch {
            device.close()
            tearDown(line)
            throw error
        }
    }

    /// Frees what `build` made; the device no longer runs.
    mutating func tearDown(_ line: InputLine) {
        if let context {
            context.pointee.free()
            context.deinitialize(count: 1)
            context.deallocate()
        }
        context = nil
        line.close()
        stages.processor?.deinitialize(count: 1)
        stages.processor?.deallocate()
        stages.reference?.deinitialize(count: 1)
        stages.reference?.deallocate()
        stages = IOCore.VoiceStages(processor: nil, reference: nil)
        grant = nil
    }

    /// The most frames a slice of either side may carry; until the device has told of its blocks, the default.
    var longestSlice: Int {
        let capture = enablesInput ? grant?.capture.map { slice($0, inputFormat) } : nil
        let playback = enablesOutput ? grant?.playback.map { slice($0, outputFormat) } : nil
        return maximumSlice ?? [capture, playback].compactMap(\.self).max() ?? Self.defaultMaximumSlice
    }

    /// The most frames one slice may carry: what was set, else whatever a device block makes.
    private func slice(_ device: DeviceStreamFormat, _ format: StreamFormat) -> Int {
        maximumSlice ?? max(Self.defaultMaximumSlice, block(device, format))
    }

    /// The most frames of `format` that a block of the device is.
    private func block(_ device: DeviceStreamFormat, _ format: StreamFormat) -> Int {
        Int(Double(device.maximumFrames) * format.sampleRate / device.sampleRate) + 16
    }

    /// A device that does not grant what was asked, or grants nonsense, is refused before any memory is sized by it.
    private func check(_ grant: DeviceGrant, device: any HardwareDevice) throws(AudioUnitError) {
        for (wanted, format) in [(enablesInput, grant.capture), (enablesOutput, grant.playback)] where wanted {
            guard let format, StreamFormat.sampleRates.contains(format.sampleRate),
                (1...64).contains(format.channels), (1...1_048_576).contains(format.maximumFrames)
            else {
                throw .device(
                    .formatUnsupported(device: device.identifier, reason: "the device granted no usable format"))
            }
        }
    }
}
