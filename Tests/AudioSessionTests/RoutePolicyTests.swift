import AudioSession
import Testing

@Suite("Routes") struct RoutePolicyTests {
    private func preferring(_ output: String?) -> (SessionPolicy, ServerSnapshot) {
        var settings = Scene.call
        settings.preferredOutput = output
        return (SessionPolicy(settings), Scene.desktop)
    }

    @Test("S4: ports are told by type, name and id")
    func ports() {
        var (policy, scene) = preferring(nil)
        _ = policy.take(scene)
        let kinds = Dictionary(uniqueKeysWithValues: policy.ports.map { ($0.id, $0.kind) })
        #expect(
            kinds == [
                "speakers#analog-output-speaker": .builtInSpeaker, "screen#hdmi-output-0": .hdmi, "headset": .headset,
                "mic": .builtInMicrophone,
            ])
        scene.outputs[0].ports[1].isUnplugged = false
        let plugged = policy.take(scene).told.compactMap { if case .portAdded(let port) = $0 { port.kind } else { nil } }
        #expect(plugged == [.headphones])
    }

    @Test(
        "S4: the kind follows bus, port type and form",
        arguments: [
            ("bluetooth", "headset", 6, PortKind.bluetooth), ("usb", "", 0, .usb), ("usb", "headset", 0, .headset),
            ("pci", "internal", 0, .builtInSpeaker), ("pci", "", 4, .line), ("usb", "", 2, .usb), ("", "", 21, .virtual),
            ("", "headphone", 0, .headphones), ("pci", "", 3, .headphones),
        ])
    func kinds(bus: String, form: String, type: Int, kind: PortKind) {
        var device = ServerDevice(index: 1, name: "x")
        (device.bus, device.formFactor) = (bus, form)
        let port = type == 0 ? nil : ServerDevice.Port(name: "p", description: "p", type: UInt32(type))
        #expect(PortClassification.kind(of: device, port: port, .output) == kind)
    }

    @Test("S4: an output is chosen by id, whatever the order of devices")
    func chosenByID() {
        for reversed in [false, true] {
            var (policy, scene) = preferring("headset")
            if reversed { scene.outputs.reverse() }
            #expect(policy.take(scene).contains(.moveOutput(stream: 50, device: Scene.headset)))
        }
        var (policy, scene) = preferring("nonsense#port")
        let actions = policy.take(scene)
        #expect(!actions.contains { if case .moveOutput = $0 { true } else { false } })
        _ = scene
    }

    @Test("S4, S6: unplugged and plugged again: the reasons are told, and the wished device is taken back")
    func unplugAndReturn() {
        var (policy, scene) = preferring("headset")
        scene.playing[0].device = Scene.headset
        #expect(policy.take(scene).routes.first?.reason == .categoryChange)
        scene.outputs.removeLast()
        scene.playing[0].device = Scene.speakers  // the server rescues the stream
        let away = policy.take(scene)
        #expect(away.routes.map(\.reason) == [.oldDeviceGone])
        #expect(away.routes.first?.current.outputs.map(\.kind) == [.builtInSpeaker])
        scene.outputs.append(Scene.usbHeadset)
        scene.outputs[2].index = 9
        let back = policy.take(scene)
        #expect(back.contains(.moveOutput(stream: 50, device: 9)) && back.contains(.retryDevices))
        scene.playing[0].device = 9
        #expect(policy.take(scene).routes.map(\.reason) == [.newDevice])
    }

    @Test("S4: a stream that the person moved in a mixer stays there")
    func followsThePerson() {
        var (policy, scene) = preferring("headset")
        scene.playing[0].device = Scene.headset
        _ = policy.take(scene)
        scene.playing[0].device = Scene.screen
        let actions = policy.take(scene)
        #expect(!actions.contains { if case .moveOutput = $0 { true } else { false } })
        #expect(actions.routes.map(\.reason) == [.override])
        #expect(policy.settings.preferredOutput == "screen")
    }

    @Test("S4: the speaker override gives hands-free and goes back")
    func speakerOverride() {
        var (policy, scene) = preferring("headset")
        scene.playing[0].device = Scene.headset
        _ = policy.take(scene)
        #expect(policy.canOverride)
        var settings = policy.settings
        settings.overridesToSpeaker = true
        #expect(policy.change(settings).contains(.moveOutput(stream: 50, device: Scene.speakers)))
        scene.playing[0].device = Scene.speakers
        #expect(policy.take(scene).routes.map(\.reason) == [.override])
        settings.overridesToSpeaker = false
        #expect(policy.change(settings).contains(.moveOutput(stream: 50, device: Scene.headset)))
    }

    @Test("S4: an override picks the speaker's port where headphones share the device")
    func portOverride() {
        var (policy, scene) = preferring(nil)
        scene.outputs[0].ports[1].isUnplugged = false
        scene.outputs[0].activePort = "analog-output-headphones"
        #expect(policy.take(scene).routes.first?.current.outputs.first?.kind == .headphones)
        var settings = policy.settings
        settings.overridesToSpeaker = true
        #expect(policy.change(settings).contains(.selectPort(device: Scene.speakers, port: "analog-output-speaker")))
    }

    @Test("S4: nothing to play to is told as no suitable route; another rate as a configuration change")
    func noRoute() {
        var (policy, scene) = preferring(nil)
        _ = policy.take(scene)
        scene.outputs[0].rate = 44_100
        #expect(policy.take(scene).routes.map(\.reason) == [.configurationChange])
        scene.outputs = []
        scene.playing = []
        #expect(policy.take(scene).routes.map(\.reason) == [.noSuitableRoute])
    }

    @Test("S4: a server that is back is told, and its route put down to waking")
    func serverBack() {
        var (policy, scene) = preferring(nil)
        _ = policy.take(scene)
        #expect(policy.loseServer(reason: "gone").told == [.serverLost(reason: "gone")])
        #expect(policy.loseServer(reason: "gone").isEmpty)
        scene.cookie = 78
        scene.outputs[0].rate = 44_100
        let back = policy.take(scene)
        #expect(back.told.first == .serverBack && back.contains(.retryDevices))
        #expect(back.routes.map(\.reason) == [.wake])
    }

    @Test("S4: a headset that is unplugged is not put down to a setting that had left the route as it was")
    func settingWithoutEffect() {
        for change in [
            { $0.duckingDecibels = -30 }, { $0.silentSwitch = true }, { $0.options = [] }, { $0.preferredInput = "mic" },
            { $0.preferredOutput = "headset" },
        ] as [(inout SessionSettings) -> Void] {
            var (policy, scene) = preferring(nil)
            scene.defaultOutput = "headset"
            scene.playing[0].device = Scene.headset
            _ = policy.take(scene)
            var settings = policy.settings
            change(&settings)
            #expect(policy.change(settings).routes.isEmpty)
            scene.outputs.removeLast()
            scene.defaultOutput = "speakers"
            scene.playing[0].device = Scene.speakers
            #expect(policy.take(scene).routes.map(\.reason) == [.oldDeviceGone])
        }
    }

    @Test("S4: nor is a headset that is plugged in, or to a server that came back with the same route")
    func routeThatStays() {
        for isServerLost in [false, true] {
            var (policy, scene) = preferring(nil)
            scene.outputs.removeLast()
            _ = policy.take(scene)
            if isServerLost {
                _ = policy.loseServer(reason: "gone")
                scene.cookie = 78
                #expect(policy.take(scene).routes.isEmpty)
            } else {
                var settings = policy.settings
                settings.duckingDecibels = -30
                #expect(policy.change(settings).routes.isEmpty)
            }
            scene.outputs.append(Scene.usbHeadset)
            scene.playing[0].device = Scene.headset
            #expect(policy.take(scene).routes.map(\.reason) == [.newDevice])
        }
    }

    @Test("S4: a change of category is what the move that it asks for is put down to, however late the server moves")
    func lateMove() {
        var settings = Scene.call
        (settings.category, settings.preferredOutput) = (.multiRoute, "headset")
        var policy = SessionPolicy(settings)
        var scene = Scene.desktop
        _ = policy.take(scene)
        settings.category = .playAndRecord
        #expect(policy.change(settings).contains(.moveOutput(stream: 50, device: Scene.headset)))
        #expect(policy.take(scene).routes.isEmpty)
        settings.duckingDecibels = -30
        #expect(policy.change(settings).routes.isEmpty)
        scene.playing[0].device = Scene.headset
        #expect(policy.take(scene).routes.map(\.reason) == [.categoryChange])
    }

    @Test("S4: muted, zero and suspended outputs are told, and when they are heard again")
    func silentOutputs() {
        for (change, silence) in [
            ({ $0.outputs[0].isMuted = true }, .muted), ({ $0.outputs[0].isAtZero = true }, .zeroVolume),
            ({ $0.outputs[0].isSuspended = true }, .suspended), ({ $0.playing[0].isMuted = true }, .muted),
            ({ $0.playing[0].volumes = [0, 0] }, .zeroVolume),
        ] as [((inout ServerSnapshot) -> Void, OutputSilence)] {
            var (policy, scene) = preferring(nil)
            _ = policy.take(scene)
            var silent = scene
            change(&silent)
            #expect(policy.take(silent).told.contains { if case .outputSilent(silence, _) = $0 { true } else { false } })
            #expect(policy.take(silent).told.isEmpty)
            #expect(policy.take(scene).told.contains { if case .outputAudible = $0 { true } else { false } })
            scene = silent
        }
    }

    @Test("S4: a muted output is told before anything plays, an idle one that is suspended is not")
    func silentBeforePlaying() {
        var (policy, scene) = preferring(nil)
        scene.playing.removeFirst()
        scene.outputs[0].isSuspended = true
        #expect(!policy.take(scene).told.contains { if case .outputSilent = $0 { true } else { false } })
        scene.outputs[0].isMuted = true
        #expect(policy.take(scene).told.contains { if case .outputSilent(.muted, _) = $0 { true } else { false } })
    }

    @Test("S1: the silent switch mutes ambient sound and no call")
    func silentSwitch() {
        var settings = SessionSettings()
        (settings.category, settings.silentSwitch) = (.ambient, true)
        var policy = SessionPolicy(settings)
        let actions = policy.take(Scene.desktop)
        #expect(actions.contains(.setMute(stream: 50, true)))
        #expect(actions.told.contains { if case .outputSilent(.silentSwitch, _) = $0 { true } else { false } })
        settings.silentSwitch = false
        #expect(policy.change(settings).contains(.setMute(stream: 50, false)))
        var call = Scene.call
        call.silentSwitch = true
        var other = SessionPolicy(call)
        #expect(!other.take(Scene.desktop).contains(.setMute(stream: 50, true)))
    }

    @Test("S5: in multi-route each stream stays on its own output, and the route lists both")
    func multiRoute() {
        var settings = Scene.call
        (settings.category, settings.preferredOutput) = (.multiRoute, "headset")
        var policy = SessionPolicy(settings)
        var scene = Scene.desktop
        scene.playing.append(ServerStream(index: 52, client: Scene.ourStreams, device: Scene.headset))
        let actions = policy.take(scene)
        #expect(!actions.contains { if case .moveOutput = $0 { true } else { false } })
        #expect(Set(policy.route.outputs.map(\.kind)) == [.builtInSpeaker, .headset])
    }

    @Test("S4: a microphone that is an output's monitor is no port, yet a route when somebody listens to it")
    func monitors() {
        var (policy, scene) = preferring(nil)
        scene.recording[0].device = 6
        _ = policy.take(scene)
        #expect(!policy.ports.contains { $0.id == "speakers.monitor" })
        #expect(policy.route.inputs.map(\.id) == ["speakers.monitor"])
    }
}
