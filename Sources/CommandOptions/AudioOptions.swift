import Settings

/// Sound's keys but for the device: `softphone.device` is the service's.
package enum ServiceAudioOptions: KeySelection {
    package static var options: [KeyOption] {
        SectionOptions<AudioKeys>.options.filter { !["device", "input", "output"].contains($0.key.name) }
    }
}

/// The keys that matter to a device without a call; `--rate` is something else there.
package enum PlainDeviceOptions: KeySelection {
    package static var options: [KeyOption] {
        let keys = AudioKeys()
        return [
            KeyOption(keys.device), KeyOption(keys.rate, as: "device-rate"), KeyOption(keys.period),
            KeyOption(keys.realtime),
        ]
    }
}
