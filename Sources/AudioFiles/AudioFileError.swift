import CSndFile

/// Why an audio file cannot be read or written, and which one.
public struct AudioFileError: Error, Sendable, Equatable {
    public var path: String
    /// In a few words, without a full stop.
    public var reason: String

    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// Why libsndfile failed; for `nil`, why the last open failed.
func soundFileReason(_ file: OpaquePointer?) -> String {
    guard let text = sf_strerror(file) else { return "unknown error" }
    var reason = String(cString: text)
    for prefix in ["System error : ", "Error : "] where reason.hasPrefix(prefix) { reason.removeFirst(prefix.count) }
    while let last = reason.last, last == "." || last.isWhitespace { reason.removeLast() }
    return reason
}
