import CRealtime

/// The memory of the process.
public enum ProcessMemory {
    /// Gives what was freed back to the system; it takes milliseconds: for whoever has time, not in the middle of calls.
    public static func giveBack() { crt_give_memory_back() }
}
