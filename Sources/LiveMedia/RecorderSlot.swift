import AudioFiles
import Glibc
import Media
import Realtime
import Synchronization

/// The place of a recording that begins and ends while a call runs: its owner puts a recorder in, the media thread finds it there.
///
/// Sendable: what is put in waits behind a lock; the recorder in use is the media thread's alone.
package final class RecorderSlot: MediaTap, @unchecked Sendable {
    /// A recorder on its way: its owner lets go of its inlets.
    private let arrival = Lock(HandedOver<Recorder?>(value: nil))
    private let hasNews = Atomic(false)
    // The owner's.
    private var isClosed = false
    // The media thread's.
    private var recorder: Recorder?

    /// From the next block on that recorder is fed, or none.
    func put(_ recorder: Recorder?) {
        let arrival = HandedOver(value: recorder)
        self.arrival.withLock { $0 = arrival }
        hasNews.store(true, ordering: .releasing)
    }

    /// The media thread has ended: nobody looks here any more.
    func close() { isClosed = true }

    /// Whether what was put in is not in use yet, and still may be; for the owner.
    package var isWaiting: Bool { !isClosed && hasNews.load(ordering: .acquiring) }

    package func add(sent block: [Float]) {
        look()
        recorder?.add(sent: block)
    }

    package func add(heard block: [Float]) {
        look()
        recorder?.add(heard: block)
    }

    private func look() {
        // What is put in from here on is news again, and is not lost.
        guard hasNews.load(ordering: .acquiring), hasNews.exchange(false, ordering: .acquiringAndReleasing) else { return }
        recorder = arrival.withLock { $0 }.value
    }
}

/// A recording that runs, with the thread that writes it.
final class RunningRecording {
    private let recorder: Recorder
    private let disk: DiskThread
    var health: FileHealth { recorder.writer.health }

    /// Creates the file.
    init(path: String, sampleRate: Int) throws(CallError) {
        recorder = try Recorder(path: path, sampleRate: sampleRate)
        disk = DiskThread(name: "recorder", clients: [recorder.writer])
        do { try disk.start() } catch { throw .resources("\(error)") }
    }

    func begin(in slot: RecorderSlot) { slot.put(recorder) }

    /// Takes the recorder out and closes the file; a disk that hangs is waited for 3 s.
    func end(in slot: RecorderSlot) {
        slot.put(nil)
        // The block that is under way is taken along; calls that have ended by themselves take nothing out any more.
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: 200)
        while slot.isWaiting, HostTime.monotonicNow() < limit { usleep(2000) }
        if disk.finish(withinMilliseconds: 3000) == 0 { health.fail("the disk takes no more") }
    }
}
