import AudioDevices
import Glibc

/// Whether the devices that are configured open, and if there is no card at all, why.
package enum DeviceFindings {
    /// - Parameters:
    ///   - wanted: names of devices, as they are configured.
    ///   - listed: what there is.
    ///   - trial: opens a device that is not listed, for not all that open are.
    package static func look(
        _ wanted: [String], listed: [DeviceListing], _ machine: Machine,
        trial: (String) -> DeviceListing = { DeviceListing(trying: $0) }
    ) -> [Finding] {
        let hardware = wanted.filter { isHardware($0) }
        guard !hardware.isEmpty else {
            return [.fine("devices", .device, "none is needed: \(wanted.joined(separator: ", "))")]
        }
        return hardware.map { name in
            let canonical = (try? DeviceSpecification(parsing: name))?.name
            guard let device = listed.first(where: { [name, canonical, "alsa:\(name)"].contains($0.name) }) else {
                let tried = trial(name)
                if tried.opens { return .fine("device \(name)", .device, "opens") }
                let others = listed.filter { isHardware($0.name) }.map(\.name)
                let advice = others.isEmpty ? cards(machine) : "choose one of \(others.joined(separator: ", "))"
                return Finding("device \(name)", .device, .trouble, tried.reason ?? "there is no such device", advice)
            }
            if device.opens { return .fine("device \(name)", .device, "opens") }
            // ALSA's own words say that a card is not there; why it is not there is the runtime's doing.
            let advice = machine.runtime.isContainer || device.remedy == nil ? cards(machine) : device.remedy ?? ""
            return Finding("device \(name)", .device, .trouble, device.reason ?? "does not open", advice)
        }
    }

    private static func isHardware(_ name: String) -> Bool {
        let kind = name.prefix { $0 != ":" }
        return !["null", "echo", "room", "file", "pipe", "tone"].contains(String(kind))
    }

    /// Why there are no cards, and what mends it.
    package static func cards(_ machine: Machine) -> String {
        let isInContainer = machine.runtime.isContainer
        guard let nodes = machine.names("/dev/snd"), nodes.contains(where: { $0.hasPrefix("pcm") || $0 == "controlC0" }) else {
            return isInContainer
                ? "the container has no sound cards: \(flag(machine.runtime, .cards)), or mount a sound server's socket"
                : "the machine has no sound cards; connect one, or start a sound server (PULSE_SERVER)"
        }
        if isInContainer, machine.names("/proc/asound")?.isEmpty ?? true {
            return "the runtime hides /proc/asound, by which cards are found: \(flag(machine.runtime, .unmasked))"
        }
        if let node = nodes.first(where: { $0.hasPrefix("pcm") }), access("\(machine.root)/dev/snd/\(node)", R_OK | W_OK) != 0 {
            return isInContainer
                ? "the cards are there, but not for this user: \(flag(machine.runtime, .group))"
                : "the cards are there, but not for this user: join the group audio"
        }
        return "`yodel devices` lists what opens, and why something does not"
    }

    private enum Need { case cards, unmasked, group }

    /// How a runtime is told so.
    private static func flag(_ runtime: ContainerRuntime, _ need: Need) -> String {
        switch (need, runtime) {
        case (.cards, .kubernetes): "give it a device plugin for /dev/snd"
        case (.cards, _): "start it with --device /dev/snd --group-add audio"
        case (.unmasked, .docker): "start it with --security-opt systempaths=unconfined"
        case (.unmasked, .kubernetes): "set securityContext.procMount to Unmasked"
        case (.unmasked, _): "start it with --security-opt unmask=/proc/asound"
        case (.group, .kubernetes): "set securityContext.supplementalGroups to the group of /dev/snd"
        case (.group, .podman): "start it with --group-add keep-groups, or --group-add and the number of the host's group audio"
        case (.group, _): "start it with --group-add and the number of the host's group audio"
        }
    }
}
