/// Which device our streams should be on.
package struct RoutePlan: Sendable {
    /// Where each of our streams was seen last; sink inputs and source outputs are numbered apart.
    private var seenPlaying: [UInt32: UInt32] = [:]
    private var seenRecording: [UInt32: UInt32] = [:]
    private var wasOverridden = false

    package init() {}

    /// A device and, where it has several, the port of it.
    private struct Target {
        var device: ServerDevice
        var port: String?
    }

    /// Moves streams to what is wanted; a stream that somebody else moved off a device that is still there changes the wish
    /// instead.
    package mutating func update(
        _ snapshot: ServerSnapshot, playing: [ServerStream], recording: [ServerStream], _ settings: inout SessionSettings
    ) -> [SessionAction] {
        let effect = settings.effect
        var actions: [SessionAction] = []
        if effect.output && !effect.severalOutputs {
            let speaker = settings.overridesToSpeaker ? Self.speaker(in: snapshot) : nil
            let target =
                speaker ?? Self.find(settings.preferredOutput, in: snapshot.outputs)
                ?? (wasOverridden ? Self.find(snapshot.defaultOutput, in: snapshot.outputs) : nil)
            wasOverridden = settings.overridesToSpeaker
            for stream in playing {
                guard let target, stream.device != target.device.index else { continue }
                if seenPlaying[stream.index] == target.device.index,
                    let chosen = snapshot.outputs.first(where: { $0.index == stream.device })
                {
                    settings.preferredOutput = chosen.name
                    settings.overridesToSpeaker = false
                } else {
                    actions.append(.moveOutput(stream: stream.index, device: target.device.index))
                }
            }
            if let target, let port = target.port, target.device.activePort != port, !playing.isEmpty {
                actions.append(.selectPort(device: target.device.index, port: port))
            }
        }
        if effect.input, let target = Self.find(settings.preferredInput, in: snapshot.inputs) {
            for stream in recording where stream.device != target.device.index {
                if seenRecording[stream.index] == target.device.index,
                    let chosen = snapshot.inputs.first(where: { $0.index == stream.device })
                {
                    settings.preferredInput = chosen.name
                } else {
                    actions.append(.moveInput(stream: stream.index, device: target.device.index))
                }
            }
        }
        seenPlaying = [:]
        seenRecording = [:]
        for stream in playing { seenPlaying[stream.index] = stream.device }
        for stream in recording { seenRecording[stream.index] = stream.device }
        return actions
    }

    /// A device by its name or the id of one of its ports, if it is there and plugged.
    private static func find(_ id: String?, in devices: [ServerDevice]) -> Target? {
        guard let id, !id.isEmpty else { return nil }
        for device in devices {
            if device.name == id { return Target(device: device) }
            for port in device.ports where device.name + "#" + port.name == id && !port.isUnplugged {
                return Target(device: device, port: port.name)
            }
        }
        return nil
    }

    /// The loudspeaker of a hands-free call.
    private static func speaker(in snapshot: ServerSnapshot) -> Target? {
        for device in snapshot.outputs {
            for port in device.ports where !port.isUnplugged {
                if PortClassification.kind(of: device, port: port, .output) == .builtInSpeaker {
                    return Target(device: device, port: port.name)
                }
            }
            if device.ports.isEmpty, PortClassification.kind(of: device, port: nil, .output) == .builtInSpeaker {
                return Target(device: device)
            }
        }
        return nil
    }

    /// Whether hands-free is to be had.
    package static func hasSpeaker(_ snapshot: ServerSnapshot) -> Bool { speaker(in: snapshot) != nil }
}
