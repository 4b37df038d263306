/// A hash that grows by octets: 64 bits, FNV-1a (Fowler, Noll and Vo).
///
/// Who knows the seed can make octets of equal hashes: equal ones are compared in full, or the seed is secret.
struct FNV1a {
    private(set) var value: UInt64

    init(seed: UInt64 = 0) { value = 0xCBF2_9CE4_8422_2325 ^ seed }

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
