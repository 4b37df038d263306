import Glibc

/// The system's text for an error number.
package func systemMessage(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let base = buffer.baseAddress else { return "?" }
        // The XSI form: fills the buffer, result 0.
        guard strerror_r(code, base, buffer.count) == 0 else { return "?" }
        return String(cString: base)
    }
}
