/// Why a real-time resource could not be had.
public enum RealtimeError: Error, Sendable, Equatable {
    /// No memory for a ring of that many bytes: ask for less, or free some.
    case noMemory(bytes: Int, errno: Int32)
    /// No event descriptor: the process has too many files open.
    case noDescriptor(errno: Int32)
    /// No thread: the process or the user has too many.
    case noThread(name: String, errno: Int32)
}
