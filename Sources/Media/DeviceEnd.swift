import Metrics
import Realtime

/// The device's side of a loop, without the device: the two rings that carry samples, when they pass the transducers, and
/// what device and unit cost.
///
/// ```
/// captureRing -> MediaLoop -> playoutRing
/// ```
/// The rings belong to the device, not to a stream: several streams share them through one `MediaLoop`.
public final class DeviceEnd {
    /// Rate of both rings in Hz.
    public let sampleRate: Int
    /// Channels played: 1, or 2 by turns in the play-out ring.
    public let playoutChannels: Int
    package var captureRing: RingConsumer<Float>
    package var playoutRing: RingProducer<Float>
    package var captureTiming: TripleBufferReader<StreamTiming>
    package var playoutTiming: TripleBufferReader<PlayoutTiming>
    /// What unit and device say of their delay at the moment.
    package let latency: () -> UnitLatency
    /// What the device knows of the machine; `nil`: nothing.
    package let machine: () -> MachineReading?

    package init(
        sampleRate: Int, playoutChannels: Int, captureRing: consuming RingConsumer<Float>,
        playoutRing: consuming RingProducer<Float>, captureTiming: consuming TripleBufferReader<StreamTiming>,
        playoutTiming: consuming TripleBufferReader<PlayoutTiming>, latency: @escaping () -> UnitLatency,
        machine: @escaping () -> MachineReading? = { nil }
    ) {
        self.sampleRate = sampleRate
        self.playoutChannels = playoutChannels
        self.captureRing = captureRing
        self.playoutRing = playoutRing
        self.captureTiming = captureTiming
        self.playoutTiming = playoutTiming
        self.latency = latency
        self.machine = machine
    }
}
