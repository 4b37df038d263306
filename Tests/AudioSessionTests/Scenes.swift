import AudioSession

/// A desktop as the sound server tells it: speakers with a headphone socket, an HDMI screen, a USB headset; a player, a
/// module's stream, and we with two connections (one of them the session's own).
enum Scene {
    static let us: UInt32 = 10
    static let ourStreams: UInt32 = 11
    static let player: UInt32 = 20
    static let speakers: UInt32 = 1
    static let screen: UInt32 = 2
    static let headset: UInt32 = 3

    static var desktop: ServerSnapshot {
        var scene = ServerSnapshot()
        scene.cookie = 77
        (scene.defaultOutput, scene.defaultInput) = ("speakers", "mic")
        scene.ownClient = us
        var analog = ServerDevice(index: speakers, name: "speakers", description: "Built-in Audio")
        analog.bus = "pci"
        analog.ports = [
            .init(name: "analog-output-speaker", description: "Speakers", type: 2),
            .init(name: "analog-output-headphones", description: "Headphones", type: 3, isUnplugged: true),
        ]
        analog.activePort = "analog-output-speaker"
        var hdmi = ServerDevice(index: screen, name: "screen", description: "Screen")
        hdmi.ports = [.init(name: "hdmi-output-0", description: "HDMI", type: 10)]
        hdmi.activePort = "hdmi-output-0"
        scene.outputs = [analog, hdmi, usbHeadset]
        var microphone = ServerDevice(index: 5, name: "mic", description: "Microphone", channels: 1)
        microphone.formFactor = "microphone"
        var monitor = ServerDevice(index: 6, name: "speakers.monitor")
        monitor.isMonitor = true
        scene.inputs = [microphone, monitor]
        scene.clients = [
            ServerClient(index: us, process: "100/host/yodel", pid: 100, session: "ducked"),
            ServerClient(index: ourStreams, process: "100/host/yodel", pid: 100),
            ServerClient(index: player, process: "200/host/player", pid: 200),
        ]
        scene.playing = [
            ServerStream(index: 50, client: ourStreams, device: speakers), song(60),
            ServerStream(index: 70, client: nil, device: speakers),
        ]
        scene.recording = [ServerStream(index: 51, client: ourStreams, device: 5, volumes: [])]
        return scene
    }

    static var usbHeadset: ServerDevice {
        var device = ServerDevice(index: headset, name: "headset", description: "USB Headset")
        (device.bus, device.formFactor) = ("usb", "headset")
        return device
    }

    /// A stream of the player on the speakers.
    static func song(_ index: UInt32, volumes: [UInt32] = [65_536, 52_429]) -> ServerStream {
        var stream = ServerStream(index: index, client: player, device: speakers, volumes: volumes)
        stream.restoreID = "sink-input-by-application-name:player"
        return stream
    }

    /// Settings of a call.
    static var call: SessionSettings {
        var settings = SessionSettings()
        (settings.category, settings.options) = (.playAndRecord, .duckOthers)
        return settings
    }
}

extension [SessionAction] {
    /// The events among the actions.
    var told: [SessionEvent] { compactMap { if case .tell(let event) = $0 { event } else { nil } } }
    /// The changes of route among the actions.
    var routes: [RouteChange] { told.compactMap { if case .routeChanged(let change) = $0 { change } else { nil } } }
    /// The volumes set, by stream.
    var volumes: [UInt32: [UInt32]] {
        reduce(into: [:]) { if case .setVolume(let stream, let volumes) = $1 { $0[stream] = volumes } }
    }
}
