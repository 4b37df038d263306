/// A password. It never prints: not by `print`, `dump`, interpolation or a debugger's summary.
public struct Password: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    public init(_ text: String) { bytes = Array(text.utf8) }

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public var isEmpty: Bool { bytes.isEmpty }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

    /// The only way in: the digest is computed from it.
    func appended(to prefix: [UInt8]) -> [UInt8] { prefix + bytes }
}
