public import AudioUnits
public import Realtime
import Synchronization

/// A device that already runs when a unit opens it, so that nothing is cut off at the beginning: the loudspeaker is silent, and of what
/// the microphone hears before, the unit gets what it is told to get (`giveBack`), or nothing.
///
/// ```
/// standBy(request) -> open(the same request) -> start: the next block is the unit's      another request opens the device anew
/// ```
public final class StandbyDevice: HardwareDevice {
    private let device: any HardwareDevice
    private let state = Lock(State())
    /// Read by the device's threads; it lives as long as they may run.
    nonisolated(unsafe) private let line: UnsafeMutablePointer<StandbyLine>

    private struct State {
        /// What it stands by with; `nil`: it does not.
        var request: DeviceRequest?
        var grant: DeviceGrant?
        var handler: (@Sendable (DeviceEvent) -> Void)?
        /// Formats that the hardware came back with before anybody used it.
        var changes: [(format: DeviceStreamFormat, isCapture: Bool)] = []
        /// What the unit handed over, for the device's threads.
        nonisolated(unsafe) var client: UnsafeMutablePointer<DeviceCallbacks>?
    }

    /// Stands in front of `device`, which nobody else opens.
    public init(_ device: any HardwareDevice) {
        self.device = device
        line = .allocate(capacity: 1)
        line.initialize(to: StandbyLine())
    }

    deinit {
        close()
        line.deinitialize(count: 1)
        line.deallocate()
    }

    /// Opens and starts the device, for whoever opens it with the same request later.
    /// - Parameter request: what will be asked.
    /// - Throws: the device's refusal; it is closed then, and may be opened all the same.
    public func standBy(_ request: DeviceRequest) throws(DeviceError) {
        device.setEventHandler { [weak self] event in self?.tell(event) }
        let grant = try device.open(request)
        line.pointee.channels.store(grant.playback?.channels ?? 1, ordering: .relaxed)
        line.pointee.since.store(.max, ordering: .relaxed)
        if let capture = grant.capture { line.pointee.memory.prepare(for: capture) }
        line.pointee.changed = { [weak self] format, isCapture in self?.noteChange(format, isCapture) }
        do throws(DeviceError) {
            try device.start(StandbyLine.callbacks(line))
        } catch {
            device.close()
            throw error
        }
        state.withLock { ($0.request, $0.grant) = (request, grant) }
    }

    /// Whoever opens the device gets first what the microphone has heard since `moment`, at most a quarter of a second; to be said
    /// before it starts.
    /// - Parameter moment: when the first sample was at the microphone.
    public func giveBack(since moment: HostTime) { line.pointee.since.store(moment.nanoseconds, ordering: .relaxed) }

    private func tell(_ event: DeviceEvent) { state.withLock { $0.handler }?(event) }

    private func noteChange(_ format: DeviceStreamFormat, _ isCapture: Bool) {
        state.withLock { $0.changes.append((format, isCapture)) }
    }

    // MARK: - As a unit sees it

    public var identifier: String { device.identifier }
    public var status: DeviceStatus { device.status }

    public func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) {
        state.withLock { $0.handler = handler }
    }

    public func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant {
        let ready = state.withLock { $0.request == request && $0.client == nil ? $0.grant : nil }
        if let ready { return ready }
        close()
        device.setEventHandler { [weak self] event in self?.tell(event) }
        return try device.open(request)
    }

    public func start(_ callbacks: DeviceCallbacks) throws(DeviceError) {
        let (isReady, changes) = state.withLock { state in
            defer { state.changes = [] }
            return (state.request != nil, state.changes)
        }
        guard isReady else { return try device.start(callbacks) }
        // No thread has these callbacks yet.
        for change in changes { callbacks.announce(change.format, capture: change.isCapture) }
        let client = UnsafeMutablePointer<DeviceCallbacks>.allocate(capacity: 1)
        client.initialize(to: callbacks)
        state.withLock { $0.client = client }
        line.pointee.client.store(client, ordering: .releasing)
    }

    public func stop() {
        device.stop()
        line.pointee.client.store(nil, ordering: .relaxed)
        state.withLock { state in
            state.client?.deallocate()
            (state.client, state.request, state.grant, state.changes) = (nil, nil, nil, [])
        }
    }

    public func close() {
        stop()
        device.close()
    }

    public func routeChanged() { device.routeChanged() }
}

/// Where the device's threads go while nobody has taken it over, and from then on.
private struct StandbyLine: ~Copyable {
    let client = Atomic<UnsafeMutablePointer<DeviceCallbacks>?>(nil)
    /// Of the loudspeaker.
    let channels = Atomic<Int>(1)
    /// From when on the microphone's sound is given to the client, in nanoseconds.
    let since = Atomic<Int64>(.max)
    /// The capture thread's, once the device runs.
    var memory = StandbyMemory()
    /// Told of formats outside of the render scope, while there is no client.
    var changed: (DeviceStreamFormat, Bool) -> Void = { _, _ in }

    static func callbacks(_ line: UnsafeMutablePointer<StandbyLine>) -> DeviceCallbacks {
        DeviceCallbacks(
            context: UnsafeMutableRawPointer(line), capture: standbyCaptured, playback: standbyPlays,
            formatChanged: standbyFormatChanged, isReady: standbyMayPlay)
    }
}

@_noLocks
private func standbyCaptured(
    _ context: UnsafeMutableRawPointer, _ samples: UnsafePointer<Float>, _ frames: Int, _ time: UnsafeRawPointer
) {
    let line = context.assumingMemoryBound(to: StandbyLine.self)
    let time = time.assumingMemoryBound(to: DeviceTime.self).pointee
    guard let client = line.pointee.client.load(ordering: .acquiring) else {
        return line.pointee.memory.keep(samples, frames: frames, time: time)
    }
    let since = HostTime(nanoseconds: line.pointee.since.load(ordering: .relaxed))
    line.pointee.memory.handOver(to: client.pointee, since: since, before: time)
    client.pointee.deliver(samples, frames: frames, time: time)
}

@_noLocks
private func standbyPlays(
    _ context: UnsafeMutableRawPointer, _ samples: UnsafeMutablePointer<Float>, _ frames: Int, _ time: UnsafeRawPointer
) {
    let line = context.assumingMemoryBound(to: StandbyLine.self)
    guard let client = line.pointee.client.load(ordering: .acquiring) else {
        let count = frames &* line.pointee.channels.load(ordering: .relaxed)
        for i in 0..<count { samples[i] = 0 }
        return
    }
    client.pointee.fetch(samples, frames: frames, time: time.assumingMemoryBound(to: DeviceTime.self).pointee)
}

@_noLocks
private func standbyMayPlay(_ context: UnsafeMutableRawPointer, _ frames: Int) -> Bool {
    let line = context.assumingMemoryBound(to: StandbyLine.self)
    guard let client = line.pointee.client.load(ordering: .acquiring) else { return true }
    return client.pointee.canFetch(frames)
}

/// Outside of the render scope: it may allocate.
private func standbyFormatChanged(_ context: UnsafeMutableRawPointer, _ isCapture: Bool, _ format: UnsafeRawPointer) {
    let line = context.assumingMemoryBound(to: StandbyLine.self)
    let format = format.assumingMemoryBound(to: DeviceStreamFormat.self).pointee
    if !isCapture { line.pointee.channels.store(format.channels, ordering: .relaxed) }
    guard let client = line.pointee.client.load(ordering: .acquiring) else {
        if isCapture { line.pointee.memory.prepare(for: format) }
        return line.pointee.changed(format, isCapture)
    }
    client.pointee.announce(format, capture: isCapture)
}
