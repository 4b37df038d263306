import AudioDevices
import CAudit
import RenderAudit
import Simulation
import Testing

/// On the devices' own threads; the same over ALSA is in AudioDevicesTests, where the sound server is.
@Suite("The render threads of a live call", .enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct LiveCallTests {
    @Test("allocate, free and lock nothing in two simulated rooms in real time")
    func rooms() throws {
        let call = try AuditedLiveCall(seconds: 3) { side, plan in
            VirtualDevice(
                .room(plan.room),
                options: DeviceOptions(seed: UInt64(side), nearEnd: plan.talker(side: side, sampleRate: 48_000)))
        }
        // A busy machine may hold the clock up for a while.
        #expect(call.book.complaints(scopes: 100) == [])
        #expect(call.packetsReceived.allSatisfy { $0 > 50 }, "\(call.packetsReceived)")
    }

    @Test("allocate, free and lock nothing in a conference whose parties come, go and change their codecs")
    func conference() throws {
        let conference = try AuditedConference(stepSeconds: 1)
        #expect(conference.book.complaints(devices: 5, scopes: 30) == [])
        #expect(conference.followed == [.pcmu, .pcma, .g722])
        #expect(conference.packetsReceived.allSatisfy { $0 > 15 }, "\(conference.packetsReceived)")
    }
}
