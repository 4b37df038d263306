public import AudioUnits
import Realtime

/// What is in force while a session is active, as far as its units run.
public struct SessionValues: Sendable, Equatable {
    /// Hz of the hardware; `nil` before a unit is initialized.
    public var sampleRate: Double?
    /// Seconds of one I/O buffer; `nil` before a unit is initialized.
    public var bufferDuration: Double?

    public init(sampleRate: Double? = nil, bufferDuration: Double? = nil) {
        (self.sampleRate, self.bufferDuration) = (sampleRate, bufferDuration)
    }
}

extension AudioSession {
    /// The hardware rate asked for, Hz; in force for units attached later, as near as the hardware can.
    public func setPreferredSampleRate(_ hertz: Double?) throws(SessionLimit) {
        if let hertz, !(4000...384_000).contains(hertz) { throw .outOfRange("sample rate", allowed: "4000 to 384000 Hz") }
        core.state.withLock { $0.sampleRate = hertz }
    }

    /// The I/O buffer asked for, seconds; in force for units attached later, as near as the hardware can.
    public func setPreferredBufferDuration(_ seconds: Double?) throws(SessionLimit) {
        if let seconds, !(0.001...0.5).contains(seconds) { throw .outOfRange("buffer duration", allowed: "0.001 to 0.5 s") }
        core.state.withLock { $0.bufferDuration = seconds }
    }

    public var preferredSampleRate: Double? { core.state.withLock { $0.sampleRate } }
    public var preferredBufferDuration: Double? { core.state.withLock { $0.bufferDuration } }

    /// Makes `unit`, not initialized yet, part of the session: its device gets the session's wishes, interruptions stop it,
    /// and its channel map counts in multi-route only.
    public func attach(
        _ unit: any InputOutputUnit, request: DeviceRequest = DeviceRequest()
    ) throws(AudioUnitError) {
        let (rate, duration, several) = core.state.withLock {
            ($0.sampleRate, $0.bufferDuration, $0.settings.effect.severalOutputs)
        }
        var request = request
        request.sampleRate = rate ?? request.sampleRate
        request.periodMilliseconds = duration.map { $0 * 1000 } ?? request.periodMilliseconds
        try unit.setDevicePreferences(request)
        let attached = AttachedUnit(unit)
        attached.usesChannelMap = several
        core.state.withLock { state in
            state.units.removeAll { $0.unit == nil }
            state.units.append(attached)
        }
    }

    /// Rate and buffer duration the hardware granted.
    public func values() throws(SessionLimit) -> SessionValues {
        guard isActive else { throw .notActive }
        for unit in core.state.withLock({ $0.units.compactMap(\.unit) }) {
            guard
                let format = (try? unit.format(scope: .output, element: Element.output))
                    ?? (try? unit.format(scope: .input, element: Element.input))
            else { continue }
            let period = unit.statistics.periodMicroseconds
            return SessionValues(sampleRate: format.sampleRate, bufferDuration: period.map { $0 / 1e6 })
        }
        return SessionValues()
    }

    /// Where sound comes from and goes to.
    public func route() throws(SessionLimit) -> SessionRoute {
        guard isActive else { throw .notActive }
        if let route = core.state.withLock({ $0.absence == nil ? $0.policy?.route : nil }) { return route }
        return bareRoute
    }

    /// Every port there is.
    public func ports() throws(SessionLimit) -> [AudioPort] {
        guard isActive else { throw .notActive }
        if let ports = core.state.withLock({ $0.absence == nil ? $0.policy?.ports : nil }) { return ports }
        return bareRoute.inputs + bareRoute.outputs
    }

    /// Throws what stands in the way of ducking, of moving the route and of being told about other devices.
    public func checkSoundServer() throws(SessionLimit) { try needServer("the route") }

    /// Without a sound server the route is the devices the units opened, by their names.
    private var bareRoute: SessionRoute {
        var route = SessionRoute()
        for unit in core.state.withLock({ $0.units.compactMap(\.unit) }) {
            let name = unit.device.identifier
            func port(_ direction: AudioPort.Direction, _ format: StreamFormat) -> AudioPort {
                AudioPort(
                    id: name, name: name, kind: PortClassification.byName(name, direction) ?? .unknown,
                    direction: direction, channels: format.channels, sampleRate: Int(format.sampleRate))
            }
            if let format = try? unit.format(scope: .output, element: Element.output) {
                route.outputs.append(port(.output, format))
            }
            if let format = try? unit.format(scope: .input, element: Element.input) {
                route.inputs.append(port(.input, format))
            }
        }
        return route
    }

    /// Stops the units until `endInterruption` or `activate`: an alarm, another call.
    public func interrupt(_ cause: String) { core.decide { $0.interrupt(.program(cause)) } }

    /// The program's interruption is over; units that ran run again if `shouldResume`, and if no other session interrupts them.
    public func endInterruption(shouldResume: Bool) {
        core.decide { $0.endInterruption(shouldResume: shouldResume) }
    }

    /// Whether the units are stopped for somebody else's sake.
    public var isInterrupted: Bool { core.state.withLock { $0.policy?.isInterrupted ?? false } }
}
