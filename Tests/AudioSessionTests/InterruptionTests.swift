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

    /// Units neither stop nor run again.
    private func isUntold(_ actions: [SessionAction]) -> Bool {
        !actions.contains {
            switch $0 {
            case .interrupt, .endInterruption: true
            default: false
            }
        }
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

    @Test("S3: a session that interrupts is interrupted itself: what it has interrupted waits for its end too")
    func nested() {
        var policy = SessionPolicy(solo)
        var scene = Scene.desktop
        _ = policy.take(scene)
        let call = ServerClient(index: 98, process: "300/host/call", pid: 300, session: "silenced")
        let alarm = ServerClient(index: 99, process: "400/host/alarm", pid: 400, session: "silenced")
        scene.clients.append(call)
        #expect(policy.take(scene).contains(.interrupt(.otherSession(process: 300))))
        scene.clients[scene.clients.count - 1] = ServerClient(
            index: 98, process: call.process, pid: 300, session: SessionPolicy.interruptedMark)
        scene.clients.append(alarm)
        #expect(isUntold(policy.take(scene)) && policy.isInterrupted)
        scene.clients.removeLast()
        #expect(isUntold(policy.take(scene)) && policy.isInterrupted)
        scene.clients[scene.clients.count - 1] = call
        #expect(isUntold(policy.take(scene)) && policy.isInterrupted)
        scene.clients.removeLast()
        #expect(policy.take(scene).contains(.endInterruption(shouldResume: true)) && !policy.isInterrupted)
    }

    @Test("S3: of the program's own interruption and another session's each lasts until its own end", arguments: [true, false])
    func both(isProgramFirst: Bool) {
        var policy = SessionPolicy(solo)
        var scene = Scene.desktop
        _ = policy.take(scene)
        let alarm = ServerClient(index: 99, process: "300/host/alarm", pid: 300, session: "silenced")
        if isProgramFirst { #expect(policy.interrupt(.program("lunch")).contains(.interrupt(.program("lunch")))) }
        scene.clients.append(alarm)
        #expect(policy.take(scene).contains(.interrupt(.otherSession(process: 300))) == !isProgramFirst)
        if !isProgramFirst {
            #expect(isUntold(policy.interrupt(.program("lunch"))))
            scene.clients.removeLast()
            #expect(isUntold(policy.take(scene)) && policy.isInterrupted)
            #expect(policy.endInterruption(shouldResume: true).contains(.endInterruption(shouldResume: true)))
        } else {
            #expect(isUntold(policy.endInterruption(shouldResume: true)) && policy.isInterrupted)
            scene.clients.removeLast()
            #expect(policy.take(scene).contains(.endInterruption(shouldResume: true)))
        }
        #expect(!policy.isInterrupted)
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
