import Glibc

/// Bytes of a key. They are wiped when nobody holds them any more, and no text shows them.
public final class Secret: Sendable {
    private let storage: Storage

    /// Memory that is written once, before anybody else sees it.
    ///
    /// Sendable: immutable after init, and freed by the owner alone.
    private struct Storage: @unchecked Sendable {
        let bytes: UnsafeMutableRawBufferPointer
    }

    /// Takes a copy of `bytes`; the caller's own copy is the caller's to wipe.
    public init(_ bytes: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        memory.copyBytes(from: bytes)
        storage = Storage(bytes: UnsafeMutableRawBufferPointer(rebasing: memory[..<bytes.count]))
    }

    /// `count` random bytes.
    public convenience init(count: Int, random: inout some RandomNumberGenerator) {
        var bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        self.init(bytes)
        bytes.withUnsafeMutableBytes { Self.wipe($0) }
    }

    deinit {
        Self.wipe(storage.bytes)
        storage.bytes.baseAddress?.deallocate()
    }

    /// Number of bytes.
    public var count: Int { storage.bytes.count }

    /// Hands out the bytes for the time of `body`, which must not keep them.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// Overwrites memory that held a key; no optimizer leaves it out.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        if let base = memory.baseAddress { explicit_bzero(base, memory.count) }
    }
}

extension Secret: Equatable {
    /// Takes the same time wherever they differ.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { a in
            right.withUnsafeBytes { b in zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "***" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
