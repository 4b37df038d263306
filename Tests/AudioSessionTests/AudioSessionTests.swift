import AudioDevices
import AudioSession
import AudioUnits
import Testing
import Threads

@Suite("Session without a sound server") struct AudioSessionTests {
    private func session() -> AudioSession { AudioSession(server: "unix:/nonexistent/socket") }

    @Test("S2: values in force are read only while active")
    func active() throws {
        let session = session()
        #expect(throws: SessionLimit.notActive) { try session.values() }
        #expect(throws: SessionLimit.notActive) { try session.route() }
        session.activate()
        #expect(session.isActive)
        #expect(try session.values() == SessionValues())
        session.deactivate()
        session.deactivate()
        #expect(!session.isActive)
        #expect(throws: SessionLimit.notActive) { try session.ports() }
    }

    @Test("what two threads set at once stands, both of it")
    func settingsFromTwoThreads() throws {
        let session = session()
        session.activate(waitMilliseconds: 0)
        let other = try RealtimeThread(name: "ports", owning: session) { session in
            for turn in 0..<5_000 { session.setPreferredOutput("port-\(turn)") }
        }
        var undone = 0
        for turn in 0..<5_000 {
            let wanted: SessionCategory = turn % 2 == 0 ? .playback : .multiRoute
            session.setCategory(wanted)
            if session.category != wanted { undone += 1 }
        }
        other.join()
        #expect(undone == 0)
        session.deactivate()
    }

    @Test("activated and deactivated from two threads at once it ends, and whoever waits for the server with it")
    func activationFromTwoThreads() throws {
        let session = session()
        let other = try RealtimeThread(name: "activations", owning: session) { session in
            for _ in 0..<20 {
                session.activate(waitMilliseconds: .infinity)
                session.deactivate()
            }
        }
        for _ in 0..<20 {
            session.activate(waitMilliseconds: .infinity)
            session.deactivate()
        }
        other.join()
        #expect(!session.isActive)
        session.activate()
        #expect(session.isActive)
        session.deactivate()
    }

    @Test("S2: preferred against actual: the hardware grants what is nearest")
    func preferred() throws {
        let session = session()
        try session.setPreferredSampleRate(16_000)
        try session.setPreferredBufferDuration(0.02)
        let unit = RemoteIO(device: VirtualDevice(.null))
        try session.attach(unit)
        try unit.initialize()
        session.activate(waitMilliseconds: 0)
        let values = try session.values()
        #expect(session.preferredSampleRate == 16_000 && values.sampleRate == 16_000)
        #expect(abs((values.bufferDuration ?? 0) - 0.02) < 1e-6, "\(values)")
        #expect(throws: SessionLimit.self) { try session.setPreferredSampleRate(1) }
        #expect(throws: SessionLimit.self) { try session.setPreferredBufferDuration(.nan) }
        #expect(throws: SessionLimit.self) { try session.setDucking(decibels: 3) }
        session.deactivate()
        unit.dispose()
    }

    @Test("S4: without a sound server the route is the device's name, and what cannot be done says why")
    func bare() throws {
        let session = session()
        let unit = RemoteIO(device: VirtualDevice(.null))
        try session.attach(unit)
        try unit.initialize()
        session.activate()
        #expect(try session.route().outputs.map(\.id) == ["null"])
        #expect {
            try session.overrideOutput(toSpeaker: true)
        } throws: {
            guard case .needsSoundServer(_, let reason)? = $0 as? SessionLimit else { return false }
            return reason == "Connection refused"
        }
        #expect(throws: SessionLimit.self) { try session.checkSoundServer() }
        session.deactivate()
        unit.dispose()
    }

    @Test("S5: outside multi-route the channel map is ignored")
    func channelMapCounts() throws {
        let session = session()
        let unit = RemoteIO(device: VirtualDevice(.null))
        session.setCategory(.playback)
        try session.attach(unit)
        #expect(!unit.usesChannelMap)
        session.setCategory(.multiRoute)
        #expect(unit.usesChannelMap)
        session.setCategory(.playAndRecord)
        #expect(!unit.usesChannelMap)
        unit.dispose()
    }
}
