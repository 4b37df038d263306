/// Which kind of port a device of the sound server or of ALSA is.
package enum PortClassification {
    /// The ports of a device: those it names and that are plugged, else itself.
    package static func ports(of device: ServerDevice, _ direction: AudioPort.Direction) -> [AudioPort] {
        let plugged = device.ports.filter { !$0.isUnplugged }
        guard !plugged.isEmpty else {
            return [
                AudioPort(
                    id: device.name, name: device.description, kind: kind(of: device, port: nil, direction),
                    direction: direction, channels: device.channels, sampleRate: device.rate)
            ]
        }
        return plugged.map { port in
            AudioPort(
                id: device.name + "#" + port.name, name: "\(device.description), \(port.description)",
                kind: kind(of: device, port: port, direction), direction: direction, channels: device.channels,
                sampleRate: device.rate)
        }
    }

    /// The port of a device that is in use.
    package static func active(_ device: ServerDevice, _ direction: AudioPort.Direction) -> AudioPort? {
        let all = ports(of: device, direction)
        let id = device.activePort.map { device.name + "#" + $0 }
        // An unplugged port may still be the active one: it is told as the device itself.
        return all.first { $0.id == id } ?? all.first
    }

    /// The bus decides first (a headset on Bluetooth is a Bluetooth port), then the port's type, then the form.
    package static func kind(
        of device: ServerDevice, port: ServerDevice.Port?, _ direction: AudioPort.Direction
    ) -> PortKind {
        if device.bus == "bluetooth" { return .bluetooth }
        if let port, let kind = byType[port.type] ?? byName(port.name, direction) {
            return device.bus == "usb" && (kind == .line || kind == .builtInSpeaker) ? .usb : kind
        }
        switch device.formFactor {
        case "headset", "hands-free", "handset": return .headset
        case "headphone": return .headphones
        case "hdmi", "tv": return .hdmi
        default: break
        }
        if device.bus == "usb" { return .usb }
        switch device.formFactor {
        case "internal", "speaker": return direction == .output ? .builtInSpeaker : .builtInMicrophone
        case "microphone", "webcam": return .builtInMicrophone
        default: return device.isVirtual ? .virtual : byName(device.name, direction) ?? .unknown
        }
    }

    /// `pa_device_port_type_t` (PulseAudio 14 and later).
    private static let byType: [UInt32: PortKind] = [
        1: .line, 2: .builtInSpeaker, 3: .headphones, 4: .line, 5: .builtInMicrophone, 6: .headset, 7: .headset,
        8: .headset, 9: .line, 10: .hdmi, 11: .hdmi, 14: .usb, 15: .bluetooth, 17: .headset, 20: .headset, 21: .virtual,
    ]

    /// Names of ports that PulseAudio and ALSA give, for servers that tell no type, and for ALSA devices.
    package static func byName(_ name: String, _ direction: AudioPort.Direction) -> PortKind? {
        let name = name.lowercased()
        func has(_ word: String) -> Bool {
            let (hay, needle) = (Array(name.utf8), Array(word.utf8))
            guard hay.count >= needle.count else { return false }
            return (0...(hay.count - needle.count)).contains { hay[$0..<$0 + needle.count].elementsEqual(needle) }
        }
        if has("hdmi") || has("displayport") { return .hdmi }
        if has("headset") { return .headset }
        if has("headphone") { return .headphones }
        if has("bluez") || has("bluealsa") || has("bluetooth") { return .bluetooth }
        if has("usb") { return .usb }
        if has("speaker") { return .builtInSpeaker }
        if has("line") || has("iec958") || has("spdif") || has("aux") { return .line }
        if direction == .input && has("mic") { return .builtInMicrophone }
        return nil
    }
}
