import AudioDevices
import AudioSession
import AudioUnits
import Reporting

extension EventBody {
    /// What a call tells of its audio session; what only matters to somebody who looks at ports goes to the log.
    package static func of(_ event: SessionEvent) -> [EventBody] {
        switch event {
        case .routeChanged(let change): return of(change)
        case .outputSilent(let silence, let port):
            return [.warning("\(port.name) cannot be heard: \(silence.explanation)")]
        case .outputAudible(let port): return [.warning("\(port.name) can be heard again")]
        case .interruptionBegan(.program(let cause)): return [.warning("the call's audio is interrupted: \(cause)")]
        case .interruptionBegan(.otherSession(let process)):
            return [.warning("the call's audio is interrupted: process \(process) wants no other sound")]
        case .interruptionEnded: return [.warning("the interruption of the call's audio is over")]
        case .serverLost(let reason): logger.notice("sound server lost: \(reason)")
        case .serverBack: logger.notice("sound server back")
        case .portAdded(let port), .portChanged(let port): logger.debug("port \(port.id), \(port.kind.rawValue)")
        case .portRemoved(let port): logger.debug("port \(port.id) removed")
        }
        return []
    }

    /// One event for each direction that changed.
    static func of(_ change: RouteChange) -> [EventBody] {
        func names(_ ports: [AudioPort]) -> String? { ports.isEmpty ? nil : ports.map(\.id).joined(separator: ", ") }
        func event(_ direction: EventDirection, _ side: (SessionRoute) -> [AudioPort]) -> EventBody? {
            let (from, to) = (side(change.previous), side(change.current))
            return from == to
                ? nil
                : .routeChanged(direction: direction, from: names(from), to: names(to), reason: change.reason.rawValue)
        }
        return [event(.capture) { $0.inputs }, event(.playback) { $0.outputs }].compactMap { $0 }
    }
}

extension OutputSilence {
    /// What is in the way, and what to do.
    fileprivate var explanation: String {
        switch self {
        case .muted: "it is muted; unmute it in the mixer"
        case .zeroVolume: "its volume is zero; raise it in the mixer"
        case .suspended: "the sound server has it suspended; resume it there or choose another output"
        case .silentSwitch: "the silent switch is on"
        }
    }
}

extension MediaRequest {
    /// The call's audio session; `nil` when no direction goes to a sound server: there is nothing it could do.
    func makeAudioSession() -> AudioSession? {
        let names = (device.input.serverDevice, device.output.serverDevice)
        guard names.0 != nil || names.1 != nil else { return nil }
        let session = AudioSession()
        session.setCategory(.playAndRecord, options: ducksOthers ? .duckOthers : .mixWithOthers)
        if let name = names.0, !name.isEmpty { session.setPreferredInput(name) }
        if let name = names.1, !name.isEmpty { session.setPreferredOutput(name) }
        return session
    }
}

extension DeviceSpecification {
    /// The sound server's device behind a name, empty for the server's default; `nil` when no server is behind it.
    fileprivate var serverDevice: String? {
        if case .other(let other) = self { return other.device.serverDevice }
        if case .systemDefault = self { return "" }
        guard case .alsa(let name) = self else { return nil }
        if ["default", "sysdefault", "pulse", "pipewire"].contains(name) { return "" }
        for prefix in ["pulse:", "pipewire:"] where name.hasPrefix(prefix) {
            let device = name.dropFirst(prefix.count)
            return String(device.hasPrefix("DEVICE=") ? device.dropFirst(7) : device)
        }
        return nil
    }
}
