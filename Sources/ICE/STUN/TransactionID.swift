/// 96 random bits that tie a response to its request (RFC 8489 section 5). Who cannot see the request cannot guess them.
public struct TransactionID: Hashable, Sendable {
    /// In the low 96 bits.
    public let bits: UInt128

    /// The low 96 of `bits`.
    public init(bits: UInt128) { self.bits = bits & (1 << 96 - 1) }

    init(_ random: RandomSource) {
        self.init(bits: UInt128(random.next()) << 64 | UInt128(random.next()))
    }
}

/// Random numbers for the whole room, given by whoever makes an agent: those of the system in a program, seeded ones in tests.
final class RandomSource {
    private var generator: any RandomNumberGenerator

    init(_ generator: any RandomNumberGenerator) { self.generator = generator }

    func next() -> UInt64 { generator.next() }

    /// Uniform in 0 ..< 1.
    func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// `count` characters, each one of 64: letters, digits, `+` and `/` (`ice-char` of RFC 8839 section 5.4).
    func iceText(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return String((0..<count).map { _ in alphabet[Int(next() >> 58)] })
    }
}
