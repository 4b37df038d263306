import CRealtime

/// Ties threads to cores.
public enum CoreAffinity {
    /// Ties the calling thread to one of the cores that the process may use.
    /// - Parameter index: which of them, counted from 0 and around.
    /// - Returns: false where the system does not allow it; then nothing has changed.
    public static func pin(toAllowedCore index: Int) -> Bool { crt_pin_thread(UInt32(max(0, index))) }
}
