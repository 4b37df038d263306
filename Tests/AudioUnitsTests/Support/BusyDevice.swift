import AudioUnits
import Glibc
import Realtime
import Synchronization

/// A device with one thread of its own that turns as fast as it can, to meet control calls at every moment.
final class BusyDevice: HardwareDevice, @unchecked Sendable {
    let identifier = "busy"
    private let format = DeviceStreamFormat(sampleRate: 48_000, channels: 1, periodFrames: 480, maximumFrames: 480)
    private let running = Atomic<Bool>(false)
    private var thread = pthread_t()
    private var callbacks: DeviceCallbacks?

    func open(_ request: DeviceRequest) -> DeviceGrant { DeviceGrant(capture: format, playback: format) }

    func start(_ callbacks: DeviceCallbacks) {
        self.callbacks = callbacks
        running.store(true, ordering: .releasing)
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<BusyDevice>.fromOpaque(context!).takeUnretainedValue().loop()
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func loop() {
        guard let callbacks else { return }
        let block = UnsafeMutablePointer<Float>.allocate(capacity: 480)
        block.initialize(repeating: 0, count: 480)
        defer { block.deallocate() }
        var turn: Int64 = 0
        var format = self.format
        while running.load(ordering: .acquiring) {
            var time = DeviceTime(
                sampleTime: turn * 480, hostTime: HostTime(nanoseconds: 1_000_000_000 + turn * 10_000_000),
                latencyMilliseconds: 1)
            callbacks.capture(callbacks.context, block, 480, &time)
            callbacks.playback(callbacks.context, block, 480, &time)
            turn += 1
            if turn % 16 == 0 {
                // The route changes underneath.
                format.sampleRate = turn % 32 == 0 ? 48_000 : 44_100
                callbacks.formatChanged(callbacks.context, true, &format)
                callbacks.formatChanged(callbacks.context, false, &format)
            }
            usleep(50)
        }
    }

    func stop() {
        guard running.exchange(false, ordering: .acquiringAndReleasing) else { return }
        pthread_join(thread, nil)
    }

    func close() {}
    var status: DeviceStatus { DeviceStatus() }
    func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {}
}
