import CRealtime

/// The memory of the process.
public enum ProcessMemory {
    /// Gives what was freed back to the system; it takes milliseconds: for whoever has time, not in the middle of calls.
    public static func giveBack() { crt_give_memory_back() }

    /// Lets go of the code and constants that only the start has needed: what still runs comes back by itself, from the
    /// memory where the system keeps the file. The first time only, for each time every thread pays some microseconds.
    public static func letGoOfStart() { _ = startIsGone }

    /// The same for what opening devices and libraries has needed.
    public static func letGoOfOpening() { _ = openingIsGone }

    private static let startIsGone: Void = crt_let_go_of_code()
    private static let openingIsGone: Void = crt_let_go_of_code()
}
