/// Why a signal processor could not be made.
public enum DSPError: Error, Sendable, Equatable {
    /// The rates do not make a ratio that is supported: use 4 000...384 000 Hz.
    case unsupportedRates(from: Int, to: Int)
    /// A parameter is out of its range, which `allowed` names.
    case outOfRange(parameter: String, allowed: String)
    /// There is no memory left.
    case noMemory
}
