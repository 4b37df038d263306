/// Collects the lines of a body. No value can end its line early: CR, LF and NUL in it become spaces.
struct LineWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func line(_ letter: UInt8, _ parts: String...) {
        bytes.append(letter)
        bytes.append(UInt8(ascii: "="))
        for part in parts {
            for byte in part.utf8 { bytes.append(byte == 0 || byte == 0x0a || byte == 0x0d ? .space : byte) }
        }
        bytes.append(0x0d)
        bytes.append(0x0a)
    }
}
