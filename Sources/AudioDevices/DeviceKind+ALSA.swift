import AudioUnits
import CALSA
import Glibc

extension DeviceKind {
    /// ALSA's PCMs, by ALSA's own list.
    static let alsa = DeviceKind(
        prefix: "alsa", list: { listALSA() },
        parse: { (rest, fail) throws(DeviceError) in
            if rest.isEmpty { throw fail("an ALSA name must follow `alsa:`, for instance `alsa:default`") }
            return .alsa(name: rest)
        })
}

/// Each direction of each device is opened and closed again, so that the list says what works now. Takes a moment; another
/// program's stream is never disturbed.
private func listALSA() -> [DeviceListing] {
    alsaHints().map { hint in
        DeviceListing(
            name: hint.name == "default" ? hint.name : "alsa:" + hint.name, description: hint.description,
            capture: hint.captures ? probe(hint.name, capture: true) : nil,
            playback: hint.plays ? probe(hint.name, capture: false) : nil)
    }
}

private struct Hint {
    var name: String
    var description: String
    var captures: Bool
    var plays: Bool
}

/// Converters, surround layouts and servers that print to the terminal when they are absent: nothing to call through.
private let skippedPrefixes = [
    "null", "lavrate", "samplerate", "speexrate", "speex", "jack", "oss", "upmix", "vdownmix", "usbstream", "surround",
    "hdmi", "iec958", "modem", "phoneline",
]

private func alsaHints() -> [Hint] {
    var found: [Hint] = []
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    var list: [Hint] = []
    do {
        try ALSAErrors.check("") { snd_device_name_hint(-1, "pcm", &hints) }
    } catch {
        // no configuration at all: `default` below tells why
    }
    var next = hints
    while let place = next, let hint = place.pointee {
        if let name = text(hint, "NAME"), !skippedPrefixes.contains(where: { name.hasPrefix($0) }) {
            let direction = text(hint, "IOID")
            list.append(
                Hint(
                    name: name, description: oneLine(text(hint, "DESC") ?? name), captures: direction != "Output",
                    plays: direction != "Input"))
        }
        next = place + 1
    }
    if let hints { snd_device_name_free_hint(hints) }
    found = list.filter { $0.name == "default" }
    if found.isEmpty {
        found = [Hint(name: "default", description: "what ALSA is set up to use", captures: true, plays: true)]
    }
    return found + list.filter { $0.name != "default" }
}

private func text(_ hint: UnsafeRawPointer, _ key: String) -> String? {
    guard let value = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(value) }
    return String(cString: value)
}

private func oneLine(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: ", ")
}

private func probe(_ name: String, capture: Bool) -> DeviceListing.Direction {
    do throws(DeviceError) {
        try ALSAStream.open(name, capture: capture, DeviceRequest()).close()
        return DeviceListing.Direction(opens: true)
    } catch {
        return DeviceListing.Direction(opens: false, reason: error.reason, remedy: error.remedy)
    }
}
