import Glibc

/// Memory of numbers that are zero to begin with. The system hands it out zeroed, so that what is never written never becomes
/// resident: of many calls each has far more room than it uses.
public enum ZeroedMemory {
    /// Memory for numbers, all of whose bits are 0; to be given back by `free`.
    /// - Parameter count: numbers, 1 or more.
    public static func allocate<Number: BitwiseCopyable>(_ count: Int) -> UnsafeMutablePointer<Number> {
        guard let memory = calloc(max(1, count), MemoryLayout<Number>.stride) else {
            // As Swift's own allocation does.
            fatalError("no memory for \(count) numbers")
        }
        return memory.bindMemory(to: Number.self, capacity: max(1, count))
    }

    /// Gives memory of `allocate` back.
    /// - Parameter memory: its start.
    public static func free<Number: BitwiseCopyable>(_ memory: UnsafeMutablePointer<Number>) { Glibc.free(memory) }
}
