import AudioDevices
import AudioSession
import AudioUnits
import Testing

@Suite("Interruptions") struct InterruptionTests {
    private var solo: SessionSettings {
        var settings = Scene.call
        settings.options = []
        return settings
    }

    @Test("S3: another session that wants no other interrupts, and its end resumes")
    func otherSession() {
        var policy = SessionPolicy(solo)
        var scene = Scene.desktop
        _ = policy.take(scene)
        scene.clients.append(ServerClient(index: 99, process: "300/host/alarm", pid: 300, session: "silenced"))
        let began = policy.take(scene)
        #expect(began.contains(.interrupt(.otherSession(process: 300))) && policy.isInterrupted)
        scene.clients.removeLast()
        let ended = policy.take(scene)
        #expect(ended.contains(.endInterruption(shouldResume: true)) && !policy.isInterrupted)
    }

    @Test("S3: of two such sessions the later one goes on")
    func laterWins() {
        var policy = SessionPolicy(solo)
        var scene = Scene.desktop
        scene.clients.append(ServerClient(index: 5, process: "300/host/alarm", pid: 300, session: "silenced"))
        #expect(!policy.take(scene).contains { if case .interrupt = $0 { true } else { false } })
        var mixing = SessionPolicy(Scene.call)
        scene.clients.append(ServerClient(index: 99, process: "300/host/alarm", pid: 300, session: "silenced"))
        #expect(!mixing.take(scene).contains { if case .interrupt = $0 { true } else { false } }, "a session that mixes")
    }

    @Test("S3: an interruption puts others back and lowers them again after it")
    func others() {
        var policy = SessionPolicy(Scene.call)
        _ = policy.take(Scene.desktop)
        #expect(policy.interrupt(.program("alarm")).volumes == [60: [65_536, 52_429]])
        #expect(policy.interrupt(.program("again")).isEmpty)
        #expect(policy.endInterruption(shouldResume: false).volumes == [60: [30_419, 24_335]])
        #expect(policy.endInterruption(shouldResume: true).isEmpty)
    }

    @Test("S3: units stop with the interruption and run again at its end, or at the next activate")
    func units() throws {
        let session = AudioSession(server: "unix:/nonexistent/socket")
        let unit = RemoteIO(device: VirtualDevice(.null))
        try session.attach(unit)
        try unit.initialize()
        session.setCategory(.playback, options: .mixWithOthers)
        session.activate(waitMilliseconds: 0)
        try unit.start()
        session.interrupt("alarm")
        #expect(unit.state == .initialized && session.isInterrupted)
        session.endInterruption(shouldResume: false)
        #expect(unit.state == .initialized && !session.isInterrupted)
        try unit.start()
        session.interrupt("alarm")
        session.endInterruption(shouldResume: true)
        #expect(unit.state == .running)
        session.interrupt("an end that never comes")
        session.activate()
        #expect(unit.state == .running && !session.isInterrupted)
        session.deactivate()
        unit.dispose()
    }
}
