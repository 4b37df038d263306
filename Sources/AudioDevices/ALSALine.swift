import AudioUnits
import CALSA
import Glibc
import Realtime
import Synchronization

/// What one direction's thread shares with the supervisor and the device: atomics only, in memory that stays put.
///
/// A stream travels as a pointer: the supervisor offers an opened one, the thread surrenders a broken one. Whoever
/// takes a pointer out of a slot owns it.
struct ALSALine: ~Copyable {
    let board: DirectionBoard
    /// Ends the thread's wait: stop, or a stream is on offer.
    let wake: EventSignal
    /// Readable once the thread has ended.
    let finished: EventSignal

    private let offered = Atomic<UInt>(0)
    private let surrendered = Atomic<UInt>(0)
    /// errno of the loss, negative as in alsa-lib.
    let lossCode = Atomic<Int>(0)
    /// Loss code of a stream that neither fails nor moves; no errno of ALSA's is this large.
    static var stalled: Int { @_noLocks get { -10_000 } }

    init(isCapture: Bool, report: EventSignal) throws(RealtimeError) {
        (wake, finished) = try EventSignal.pair()
        board = DirectionBoard(isCapture: isCapture, report: report)
    }

    /// Supervisor: puts an opened stream where the thread finds it.
    func offer(_ stream: ALSAStream) {
        let place = UnsafeMutablePointer<ALSAStream>.allocate(capacity: 1)
        place.initialize(to: stream)
        if let unused = Self.take(offered.exchange(UInt(bitPattern: place), ordering: .acquiringAndReleasing)) {
            unused.close()
        }
        wake.signal()
    }

    /// Thread: waits until `deadline`, or until it is woken.
    func sleep(until deadline: Int64) {
        var descriptor = pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if calsa_poll(&descriptor, 1, deadline &- calsa_now()) > 0 { wake.drain() }
    }

    /// Thread or cleanup: the stream on offer, if any.
    func takeOffer() -> ALSAStream? { Self.take(offered.exchange(0, ordering: .acquiringAndReleasing)) }

    /// Thread: gives a stream up, with the errno that broke it, or 0 when it is merely no longer needed.
    func surrender(_ stream: ALSAStream, code: Int) {
        let place = UnsafeMutablePointer<ALSAStream>.allocate(capacity: 1)
        place.initialize(to: stream)
        lossCode.store(code, ordering: .relaxed)
        board.delay.store(-1, ordering: .relaxed)
        surrendered.store(UInt(bitPattern: place), ordering: .releasing)
        board.report.signal()
    }

    /// Thread, at its end: stops and gives back the stream that it still has.
    func finish(_ stream: ALSAStream?) {
        if let stream {
            _ = calsa_drop(stream.pcm)
            surrender(stream, code: 0)
        }
        finished.signal()
    }

    /// Supervisor or device: the stream that was given up, if any.
    func takeSurrendered() -> ALSAStream? { Self.take(surrendered.exchange(0, ordering: .acquiringAndReleasing)) }

    /// Device, after the thread has ended: a stream that was stopped rather than lost, prepared to be started again.
    func reusable() -> ALSAStream? {
        guard let stream = takeSurrendered() else { return nil }
        if lossCode.load(ordering: .relaxed) == 0 && calsa_prepare(stream.pcm) >= 0 { return stream }
        stream.close()
        return nil
    }

    func dispose() {
        takeOffer()?.close()
        takeSurrendered()?.close()
        wake.close()
        finished.close()
    }

    private static func take(_ bits: UInt) -> ALSAStream? {
        guard let place = UnsafeMutablePointer<ALSAStream>(bitPattern: bits) else { return nil }
        let stream = place.move()
        place.deallocate()
        return stream
    }
}
