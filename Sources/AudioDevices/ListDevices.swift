import AudioUnits
import CALSA
import Glibc

/// Everything that can be named as a device on this machine: ALSA's own list, then the virtual devices.
///
/// Each direction of each ALSA device is opened and closed again, so that the list says what works now. Takes a
/// moment; another program's stream is never disturbed.
public func listDevices() -> [DeviceListing] {
    var listings: [DeviceListing] = []
    for hint in alsaHints() {
        let capture = hint.captures ? probe(hint.name, capture: true) : nil
        let playback = hint.plays ? probe(hint.name, capture: false) : nil
        listings.append(
            DeviceListing(
                name: hint.name == "default" ? hint.name : "alsa:" + hint.name, description: hint.description,
                capture: capture, playback: playback))
    }
    return listings + virtualListings
}

/// Virtual devices always open; those that need a path show where it goes.
private var virtualListings: [DeviceListing] {
    let works = DeviceListing.Direction(opens: true)
    let all = [
        ("null", "silence in, nothing out"),
        ("file:PATH[,to=WAV][,loop]", "an audio file as microphone, a WAV file as loudspeaker"),
        ("pipe:-", "raw 16-bit mono samples on standard input and output"),
        ("room:small", "simulated small room, reverberation 0.2 s"),
        ("room:office", "simulated office, reverberation 0.4 s"),
        ("room:hall", "simulated hall, reverberation 0.9 s"),
    ]
    return all.map { DeviceListing(name: $0.0, description: $0.1, capture: works, playback: works) }
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
