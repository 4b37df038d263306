import CALSA

/// Where ALSA's `default` leads.
enum ALSADefault {
    /// Whether ALSA's settings lead `default` to the default device of the user's own sound server by its plug-in `pulse`, as
    /// distributions do while a server runs, and that server's library is here.
    static var isSoundServer: Bool {
        guard (try? ALSAErrors.check("default", { calsa_default_is_server() })) != nil else { return false }
        return (try? PulseConnection.loadLibrary()) != nil
    }

    /// What a direction's `default` means now; other devices stay what they are.
    /// - Parameters:
    ///   - device: of that direction.
    ///   - other: of the other one. Beside a PCM of ALSA, `default` is ALSA's too: one device carries both.
    static func resolve(_ device: DeviceSpecification, beside other: DeviceSpecification) -> DeviceSpecification {
        guard device == .systemDefault else { return device }
        if case .alsa = other { return .alsa(name: "default") }
        return isSoundServer ? .other(AnyNamedDevice(PulseName(place: ""))) : .alsa(name: "default")
    }
}
