/// Numbers of the pcapng format (draft-ietf-opsawg-pcapng) that captures of ours use.
enum PcapngFormat {
    static let sectionHeader: UInt32 = 0x0a0d_0d0a
    static let byteOrderMagic: UInt32 = 0x1a2b_3c4d
    static let interfaceDescription: UInt32 = 1
    static let enhancedPacket: UInt32 = 6
    /// A custom block that tools which edit captures do not copy: its packet counts would be wrong then.
    static let customBlock: UInt32 = 0x4000_0bad
    /// Private enterprise number for documentation (RFC 5612): yodel has none of its own, hence the magic behind it.
    static let enterprise: UInt32 = 32_473
    static let magic: UInt32 = 0x5944_4c31  // "YDL1"
    /// LINKTYPE_RAW: packets begin with their IP header.
    static let linkTypeRaw: UInt16 = 101

    /// What a custom block of ours holds, behind the magic.
    enum Content: UInt32 {
        /// Text, `key=value` a line: what the call was made of.
        case settings = 1
        /// How many packets of the file came before (u64), then pulls: time in ns of the file's time line (i64),
        /// samples (u32), 0 (u32).
        case pulls = 2
        /// How many packets of the file came before (u64), the time in ns (i64), then text, `key=value` and a line end: what a
        /// replay must know is another from then on.
        case change = 3
    }

    static let pullBytes = 16
    /// Samples of what is no pull: the machine had stood still until then, or pulls come later from then on. Its last word has the
    /// microseconds; it is 0 of a pull.
    static let stopNote: UInt32 = 0
    static let moveNote: UInt32 = .max

    enum Option {
        static let end: UInt16 = 0
        static let userApplication: UInt16 = 4
        static let timestampResolution: UInt16 = 9
        static let packetFlags: UInt16 = 2
    }
}
