import CRealtime
import Synchronization

/// The memory of the process.
public enum ProcessMemory {
    /// A part of a program's life. What follows it runs other code.
    public enum Phase: UInt32, CaseIterable, Sendable {
        /// Arguments and configuration were read.
        case start
        /// OpenSSL was loaded, and a key and a certificate were made.
        case identity
        /// Sockets of signalling were opened.
        case signalling
        /// A call has waited for a moment for its other side.
        case waiting
        /// A call was offered and answered, as far as it was before libsrtp2 is loaded.
        case agreement
        /// libsrtp2 was loaded, and its ciphers were tested.
        case ciphers
        /// The other side has answered, and keys were agreed upon.
        case setUp
        /// Devices and files were opened.
        case opening
        /// Media have run for a moment.
        case beginning
        /// A call was ended.
        case call
    }

    private static let gone = Atomic<UInt32>(0)

    /// Gives what was freed back to the system; it takes milliseconds: for whoever has time, not in the middle of calls.
    public static func giveBack() { crt_give_memory_back() }

    /// Lets go of the code and constants that a phase has needed, so that what comes next is not on top of them. The first time of
    /// each phase only.
    /// - Parameter phase: is over.
    public static func letGo(of phase: Phase) {
        let bit: UInt32 = 1 << phase.rawValue
        if gone.bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0 { letGoOfCode() }
    }

    /// Lets go of the code and constants of program and libraries: what still runs comes back by itself, from the memory where the
    /// system keeps the files. Every thread pays some microseconds.
    package static func letGoOfCode() { crt_let_go_of_code() }
}
