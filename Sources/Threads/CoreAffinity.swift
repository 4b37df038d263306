import CRealtime
import Glibc

/// Ties threads to cores.
public enum CoreAffinity {
    /// Cores of the machine that work, 1 or more.
    public static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Ties the calling thread to one of the cores that the process may use.
    /// - Parameter index: which of them, counted from 0 and around.
    /// - Returns: false where the system does not allow it; then nothing has changed.
    public static func pin(toAllowedCore index: Int) -> Bool { crt_pin_thread(UInt32(max(0, index))) }
}
