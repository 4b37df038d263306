/// Why a real-time resource could not be had.
public enum RealtimeError: Error, Sendable, Equatable {
    /// No memory for a ring of that many bytes: ask for less, or free some.
    case noMemory(bytes: Int, errno: Int32)
    /// No event descriptor: the process has too many files open.
    case noDescriptor(errno: Int32)
    /// No thread: the process or the user has too many.
    case noThread(name: String, errno: Int32)
}

extension RealtimeError: CustomStringConvertible {
    /// What is missing, and why; what to do is the same for all, and said by whoever tells it.
    public var description: String {
        switch self {
        case .noMemory(let bytes, let code): "no memory for a ring of \(bytes) bytes (\(systemMessage(code)))"
        case .noDescriptor(let code): "no event descriptor (\(systemMessage(code)))"
        case .noThread(let name, let code): "no thread '\(name)' (\(systemMessage(code)))"
        }
    }
}
