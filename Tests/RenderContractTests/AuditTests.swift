import AudioDevices
import AudioUnits
import CAudit
import Glibc
import Realtime
import RenderAudit
import Testing

/// The audit of a call would be worth nothing if it did not see what a call's callbacks do wrong.
@Suite("The audit", .enabled(if: audit_available(), "a sanitizer brings its own malloc")) struct AuditTests {
    /// What a bad callback touches.
    struct Sins {
        var mutex = pthread_mutex_t()
        var keeps: UnsafeMutableRawPointer?
    }

    @_optimize(none)
    static func sin(_ context: UnsafeMutableRawPointer) {
        let sins = context.assumingMemoryBound(to: Sins.self)
        free(sins.pointee.keeps)
        sins.pointee.keeps = malloc(64)
        pthread_mutex_lock(&sins.pointee.mutex)
        pthread_mutex_unlock(&sins.pointee.mutex)
    }

    @Test("a callback that allocates, frees and locks is found out, in each direction")
    func findsSins() throws {
        let virtual = VirtualDevice(.null, options: DeviceOptions(clock: .manual))
        let device = AuditedDevice(virtual)
        let sins = UnsafeMutablePointer<Sins>.allocate(capacity: 1)
        sins.initialize(to: Sins())
        pthread_mutex_init(&sins.pointee.mutex, nil)
        sins.pointee.keeps = malloc(64)
        defer {
            free(sins.pointee.keeps)
            sins.deallocate()
        }
        _ = try device.open(DeviceRequest(capture: true, playback: true))
        try device.start(
            DeviceCallbacks(
                context: UnsafeMutableRawPointer(sins), capture: { context, _, _, _ in AuditTests.sin(context) },
                playback: { context, _, _, _ in AuditTests.sin(context) }, formatChanged: { _, _, _ in }))
        for turn in 1...10 { virtual.advance(frames: 480, now: HostTime(milliseconds: Double(turn) * 10)) }
        device.stop()
        for findings in [device.capture, device.playback] {
            #expect(findings.scopes == 10)
            #expect(findings.allocations == 10 && findings.frees == 10 && findings.locks == 10, "\(findings)")
            #expect(!findings.isClean)
        }
    }

    @Test("what happens outside of the callbacks is not held against them")
    func seesOnlyTheScope() throws {
        let virtual = VirtualDevice(.null, options: DeviceOptions(clock: .manual))
        let device = AuditedDevice(virtual)
        _ = try device.open(DeviceRequest(capture: true, playback: true))
        var context = 0
        try withUnsafeMutablePointer(to: &context) { context in
            try device.start(
                DeviceCallbacks(
                    context: UnsafeMutableRawPointer(context), capture: { _, _, _, _ in },
                    playback: { _, _, _, _ in }, formatChanged: { _, _, _ in }))
            var noise: [[Int]] = []
            for turn in 1...10 {
                noise.append(Array(repeating: turn, count: 100))
                virtual.advance(frames: 480, now: HostTime(milliseconds: Double(turn) * 10))
            }
            device.stop()
            #expect(noise.count == 10)
        }
        #expect(device.capture.isClean && device.playback.isClean)
        #expect(device.capture.scopes == 10 && device.playback.scopes == 10)
    }
}
