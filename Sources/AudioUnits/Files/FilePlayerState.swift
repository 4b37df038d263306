import Synchronization

/// What a file player's application, disk and render side know of each other.
struct FilePlayerState: ~Copyable {
    let isPlaying = Atomic<Bool>(false)
    /// Frames taken out of the ring since `initialize()`.
    let consumed = Atomic<Int>(0)
    /// Frames up to here are of a place that was left by a seek: they are not to be heard.
    let discardUntil = Atomic<Int>(0)
    /// Frames there will be at all; `Int.max` while more are to come.
    let end = Atomic<Int>(.max)
    /// Whether everything was played.
    let hasEnded = Atomic<Bool>(false)
    let underruns = Atomic<Int>(0)
    let underrunFrames = Atomic<Int>(0)
}

/// Keeps the state where pointers can reach it, for as long as the player or its kernel lives.
///
/// Sendable: the address is constant, and what lies there are atomics.
final class FilePlayerStateBox: @unchecked Sendable {
    let place: UnsafeMutablePointer<FilePlayerState>

    init() {
        place = .allocate(capacity: 1)
        place.initialize(to: FilePlayerState())
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
