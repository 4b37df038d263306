import AudioSession
import Testing

@Suite("Ducking of other programs") struct DuckingPlanTests {
    private func began(_ settings: SessionSettings = Scene.call) -> (policy: SessionPolicy, volumes: [UInt32: [UInt32]]) {
        var policy = SessionPolicy(settings)
        let actions = policy.take(Scene.desktop)
        return (policy, actions.volumes)
    }

    @Test("V2: a call lowers the player on its output by 20 dB, and nobody else")
    func lowersOthers() {
        let (_, volumes) = began()
        // -20 dB is a tenth; the server's scale is cubic: 65536 * 0.1^(1/3)
        #expect(volumes == [60: [30_419, 24_335]])
    }

    @Test("V2: streams on other outputs, of modules, of calls, of screen readers and of other sessions are spared")
    func spares() {
        var scene = Scene.desktop
        scene.playing[1].device = Scene.screen
        for (index, role) in [(UInt32(61), "phone"), (62, "a11y")] {
            var stream = Scene.song(index)
            stream.role = role
            scene.playing.append(stream)
        }
        scene.clients.append(ServerClient(index: 30, process: "300/host/yodel", pid: 300, session: "ducked"))
        scene.clients.append(ServerClient(index: 31, process: "300/host/yodel", pid: 300))
        scene.playing.append(ServerStream(index: 63, client: 31, device: Scene.speakers))
        var fixed = Scene.song(64)
        fixed.volumeIsWritable = false
        scene.playing.append(fixed)
        var policy = SessionPolicy(Scene.call)
        #expect(policy.take(scene).volumes.isEmpty)
    }

    @Test("V2: the end restores, and what was restored is written as nothing left")
    func restores() {
        var (policy, volumes) = began()
        var scene = Scene.desktop
        scene.playing[1].volumes = volumes[60]!
        #expect(policy.take(scene).volumes.isEmpty)
        let end = policy.end()
        #expect(end == [.save([]), .setVolume(stream: 60, [65_536, 52_429])])
        #expect(policy.end().isEmpty)
    }

    @Test("V2: what the server tells after the end lowers nobody again", arguments: [false, true])
    func staysEnded(isRestored: Bool) {
        var (policy, volumes) = began()
        _ = policy.end()
        var scene = Scene.desktop
        if !isRestored { scene.playing[1].volumes = volumes[60]! }
        #expect(policy.take(scene).isEmpty)
        #expect(policy.change(Scene.call).isEmpty)
    }

    @Test("V2: a volume the person changed meanwhile is not touched again")
    func leavesAlone() {
        var (policy, _) = began()
        var scene = Scene.desktop
        scene.playing[1].volumes = [40_000, 40_000]
        #expect(policy.take(scene).volumes.isEmpty)
        #expect(policy.end().volumes.isEmpty)
    }

    @Test("V2: what is lowered is written down before it is lowered")
    func writesAhead() {
        var policy = SessionPolicy(Scene.call)
        let actions = policy.take(Scene.desktop)
        let saved = actions.firstIndex { if case .save(let records) = $0 { records.count == 1 } else { false } }
        let lowered = actions.firstIndex { if case .setVolume = $0 { true } else { false } }
        #expect(saved != nil && lowered != nil && saved! < lowered!)
    }

    @Test("V2: the next session restores what a killed one left; in another run of the server, by its name")
    func adoptsOrphans() throws {
        let (_, volumes) = began()
        let record = DuckRecord(
            cookie: 77, stream: 60, restoreID: "sink-input-by-application-name:player", former: [65_536, 52_429],
            lowered: volumes[60]!)
        var scene = Scene.desktop
        scene.playing[1].volumes = volumes[60]!
        var mixing = Scene.call
        mixing.options = .mixWithOthers
        var next = SessionPolicy(mixing, orphans: [record])
        #expect(next.take(scene).volumes == [60: [65_536, 52_429]])
        var ducking = SessionPolicy(Scene.call, orphans: [record])
        #expect(ducking.take(scene).volumes.isEmpty, "lowered already")
        #expect(ducking.end().volumes == [60: [65_536, 52_429]])
        scene.cookie = 78
        var later = SessionPolicy(mixing, orphans: [record])
        #expect(later.take(scene).contains(.rememberVolume(restoreID: record.restoreID, record.former)))
        #expect(later.take(scene).volumes.isEmpty)
        #expect(DuckRecord(line: record.line) == record)
    }

    @Test("V2: the player's next song begins lowered and is restored to the volume of the first")
    func nextSong() {
        var (policy, volumes) = began()
        var scene = Scene.desktop
        scene.playing.remove(at: 1)
        _ = policy.take(scene)
        scene.playing.append(Scene.song(61, volumes: volumes[60]!))
        #expect(policy.take(scene).volumes.isEmpty, "not lowered twice")
        #expect(policy.end().volumes == [61: [65_536, 52_429]])
    }

    @Test("V2: the server forgets the low volume of a player that is gone when the call ends")
    func goneForGood() {
        var (policy, _) = began()
        var scene = Scene.desktop
        scene.playing.remove(at: 1)
        _ = policy.take(scene)
        #expect(
            policy.end().contains(
                .rememberVolume(restoreID: "sink-input-by-application-name:player", [65_536, 52_429])))
    }

    @Test("V2: a player that comes back lowered with another run of the server is restored, and not lowered twice")
    func anotherRun() {
        var (policy, volumes) = began()
        _ = policy.loseServer(reason: "gone")
        var scene = Scene.desktop
        scene.cookie = 78
        scene.playing[1] = Scene.song(8, volumes: volumes[60]!)
        #expect(policy.take(scene).volumes.isEmpty, "lowered already")
        #expect(policy.end().volumes == [8: [65_536, 52_429]])
        #expect(!policy.hasLowered)
    }

    @Test("V2: another run of the server forgets the low volume of a player that is gone, unless a person changed it")
    func goneWithTheServer() {
        var (policy, _) = began()
        var (changed, _) = began()
        var scene = Scene.desktop
        scene.cookie = 78
        scene.playing.remove(at: 1)
        _ = policy.take(scene)
        let remembered = SessionAction.rememberVolume(
            restoreID: "sink-input-by-application-name:player", [65_536, 52_429])
        #expect(policy.end() == [.save([]), remembered])
        scene.playing.append(Scene.song(8, volumes: [40_000, 40_000]))
        _ = changed.take(scene)
        #expect(!changed.end().contains(remembered))
    }

    @Test("V2: a session that ends while the server is away leaves what it lowered to the next one")
    func endsWithoutServer() {
        var (policy, _) = began()
        #expect(policy.hasLowered)
        _ = policy.loseServer(reason: "gone")
        #expect(policy.end().isEmpty)
        #expect(policy.hasLowered)
    }

    @Test("V2: another session's ducking is not doubled, and taken up when that session ends")
    func twoSessions() {
        var policy = SessionPolicy(Scene.call)
        var scene = Scene.desktop
        scene.playing[1].volumes = [30_419, 24_335]
        #expect(policy.take(scene, held: [60]).volumes.isEmpty)
        #expect(policy.take(Scene.desktop, held: []).volumes == [60: [30_419, 24_335]])
    }

    @Test("S1: silencing is ducking to nothing, and a change of category restores")
    func silences() {
        var solo = Scene.call
        solo.options = []
        var (policy, volumes) = began(solo)
        #expect(volumes == [60: [0, 0]])
        #expect(policy.change(Scene.call).volumes == [60: [30_419, 24_335]], "before the server has confirmed anything")
        var mixing = Scene.call
        mixing.options = .mixWithOthers
        #expect(policy.change(mixing).volumes == [60: [65_536, 52_429]])
    }

    @Test(
        "V2: lines that are no records are none",
        arguments: [
            "", "1", "1 2 3 4", "x 2 3 4 id", "1 2  4 id", "1 2 3 4,5 id", "1 2 4294967295 3 id", "-1 2 3 3 id",
        ])
    func badLines(line: String) { #expect(DuckRecord(line: line) == nil) }

    @Test("V2: volumes stay in range whatever they are lowered from")
    func range() {
        #expect(DuckingPlan.lowered(65_536, decibels: -200) == 0)
        #expect(DuckingPlan.lowered(.max, decibels: 0) == UInt32(Int32.max))
        #expect(DuckingPlan.lowered(0, decibels: -20) == 0)
        #expect(DuckingPlan.lowered(65_536, decibels: -60) == 6554)
    }
}
