import AudioUnits
import Testing

@Suite("Life cycle")
struct LifeCycleTests {
    private func units() -> [(any InputOutputUnit, ManualDevice)] {
        let (first, second) = (ManualDevice(), ManualDevice())
        return [(RemoteIO(device: first), first), (VoiceProcessingIO(device: second), second)]
    }

    @Test("start before initialize says what is missing")
    func startTooEarly() {
        for (unit, device) in units() {
            #expect(throws: AudioUnitError.notInitialized) { try unit.start() }
            #expect(!device.isStarted)
        }
    }

    @Test("settings after initialize name the setting, and work again after uninitialize")
    func settingsTooLate() throws {
        for (unit, _) in units() {
            try unit.initialize()
            let format = StreamFormat(sampleRate: 16_000)
            #expect(throws: AudioUnitError.initialized(setting: "stream format")) {
                try unit.setFormat(format, scope: .input, element: Element.output)
            }
            #expect(throws: AudioUnitError.initialized(setting: "enabled directions")) {
                try unit.enable(input: true, output: true)
            }
            #expect(throws: AudioUnitError.initialized(setting: "render callback")) {
                try unit.setRenderCallback(nil)
            }
            #expect(throws: AudioUnitError.initialized(setting: "input handler")) { try unit.setInputHandler(nil) }
            #expect(throws: AudioUnitError.initialized(setting: "initialize")) { try unit.initialize() }
            #expect(throws: AudioUnitError.initialized(setting: "maximum frames per slice")) {
                try unit.setMaximumFramesPerSlice(512)
            }
            unit.uninitialize()
            try unit.setFormat(format, scope: .input, element: Element.output)
        }
    }

    @Test("with neither direction enabled initialize is refused and the device stays closed")
    func nothingEnabled() throws {
        for (unit, device) in units() {
            try unit.enable(input: false, output: false)
            #expect(throws: AudioUnitError.nothingEnabled) { try unit.initialize() }
            #expect(!device.isOpen)
        }
    }

    @Test("the device's refusal comes through, and the unit can try again")
    func deviceRefuses() throws {
        for (unit, device) in units() {
            device.openFailure = .busy(device: "manual")
            #expect(throws: AudioUnitError.device(.busy(device: "manual"))) { try unit.initialize() }
            #expect(unit.state == .uninitialized)
            device.openFailure = nil
            try unit.initialize()
            device.startFailure = .gone(device: "manual")
            #expect(throws: AudioUnitError.device(.gone(device: "manual"))) { try unit.start() }
            #expect(unit.state == .initialized)
            device.startFailure = nil
            try unit.start()
            #expect(unit.state == .running)
        }
    }

    @Test("a device that grants nonsense is refused", arguments: [0.0, .nan, 1e9])
    func nonsenseGrant(rate: Double) {
        for (unit, device) in units() {
            device.playbackFormat.sampleRate = rate
            #expect(throws: AudioUnitError.self) { try unit.initialize() }
            #expect(!device.isOpen)
        }
    }

    @Test("start, stop, uninitialize and dispose may be repeated")
    func idempotent() throws {
        for (unit, device) in units() {
            try unit.initialize()
            try unit.start()
            try unit.start()
            unit.stop()
            unit.stop()
            #expect(device.stops == 1)
            try unit.start()
            unit.uninitialize()
            unit.uninitialize()
            #expect(!device.isStarted && !device.isOpen)
            unit.dispose()
            unit.dispose()
            #expect(throws: AudioUnitError.disposed) { try unit.initialize() }
            #expect(throws: AudioUnitError.disposed) { try unit.start() }
            #expect(throws: AudioUnitError.disposed) { try unit.setRenderCallback(nil) }
            #expect(unit.state == .disposed)
        }
    }

    @Test("disposing a running unit stops it and frees the device; so does letting go of it")
    func disposeWhileRunning() throws {
        for (unit, device) in units() {
            try unit.initialize()
            try unit.start()
            unit.dispose()
            #expect(!device.isStarted && !device.isOpen)
        }
        let device = ManualDevice()
        do {
            let unit = RemoteIO(device: device)
            try unit.initialize()
            try unit.start()
            #expect(device.isStarted)
        }
        #expect(!device.isStarted && !device.isOpen)
    }

    @Test("preferences reach the device, the enabled directions decide")
    func preferences() throws {
        for (unit, device) in units() {
            var request = DeviceRequest(capture: true, playback: false)
            request.periodMilliseconds = 5
            try unit.setDevicePreferences(request)
            try unit.initialize()
            #expect(device.lastRequest.periodMilliseconds == 5)
            #expect(!device.lastRequest.capture && device.lastRequest.playback)
        }
    }
}
