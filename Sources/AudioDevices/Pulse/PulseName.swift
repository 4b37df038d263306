import AudioUnits

/// A source or sink of the sound server by its name there; empty: the server's default ones.
struct PulseName: NamedDevice {
    let place: String

    var name: String { "pulse:" + place }
    var serverDevice: String? { place }

    func makeDevice(_ options: DeviceOptions) -> any HardwareDevice { PulseDevice(capture: place, playback: place) }

    func makeDevice(playingTo other: any NamedDevice, _ options: DeviceOptions) -> (any HardwareDevice)? {
        (other as? PulseName).map { PulseDevice(capture: place, playback: $0.place) }
    }
}
