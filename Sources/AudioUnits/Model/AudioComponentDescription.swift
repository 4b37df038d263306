/// Four ASCII characters as a big-endian number, the way audio components are named.
public struct FourCharacterCode: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The four bytes, first character highest; 0 stands for "any".
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Nil unless the text is exactly four printable ASCII characters.
    public init?(text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        rawValue = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A literal that is not four printable ASCII characters is a mistake in the program and traps.
    public init(stringLiteral value: StaticString) {
        guard let code = FourCharacterCode(text: String(describing: value)) else {
            preconditionFailure("a four-character code has four printable ASCII characters")
        }
        self = code
    }

    /// Matches any code in a search.
    public static let any = FourCharacterCode(rawValue: 0)

    /// The four characters, or `any`.
    public var description: String {
        guard rawValue != 0 else { return "any" }
        return String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }, as: UTF8.self)
    }
}

/// Names a component, or in a search describes the ones wanted: a field left `any` matches everything.
public struct AudioComponentDescription: Hashable, Sendable, CustomStringConvertible {
    /// Kind of unit: `auou` output, `aufc` format conversion, `aumx` mixer, `aufx` effect,
    /// `augn` generator.
    public var type: FourCharacterCode
    /// Which of the kind: `rioc`, `vpio`, `genr`, `conv`, `mcmx`, `3dem`, `ipeq`, `vari`, `nutp`, `queu`, `afpl`, `afwr`.
    public var subtype: FourCharacterCode
    /// Who made it; `yodl` for the built-in ones.
    public var manufacturer: FourCharacterCode

    public init(
        type: FourCharacterCode = .any, subtype: FourCharacterCode = .any, manufacturer: FourCharacterCode = .any
    ) {
        self.type = type
        self.subtype = subtype
        self.manufacturer = manufacturer
    }

    /// Whether `other` has every code that is filled in here.
    public func matches(_ other: AudioComponentDescription) -> Bool {
        (type == .any || type == other.type) && (subtype == .any || subtype == other.subtype)
            && (manufacturer == .any || manufacturer == other.manufacturer)
    }

    /// For example `auou/vpio/yodl`.
    public var description: String { "\(type)/\(subtype)/\(manufacturer)" }

    /// Remote I/O.
    public static let remoteIO = AudioComponentDescription(type: "auou", subtype: "rioc", manufacturer: "yodl")
    /// Voice-processing I/O.
    public static let voiceProcessingIO = AudioComponentDescription(
        type: "auou", subtype: "vpio", manufacturer: "yodl")
    /// Generic output.
    public static let genericOutput = AudioComponentDescription(type: "auou", subtype: "genr", manufacturer: "yodl")
    /// Converter.
    public static let converter = AudioComponentDescription(type: "aufc", subtype: "conv", manufacturer: "yodl")
    /// Multichannel mixer.
    public static let multichannelMixer = AudioComponentDescription(
        type: "aumx", subtype: "mcmx", manufacturer: "yodl")
    /// Equalizer.
    public static let equalizer = AudioComponentDescription(type: "aufx", subtype: "ipeq", manufacturer: "yodl")
    /// Varispeed.
    public static let varispeed = AudioComponentDescription(type: "aufc", subtype: "vari", manufacturer: "yodl")
    /// Time and pitch.
    public static let timePitch = AudioComponentDescription(type: "aufc", subtype: "nutp", manufacturer: "yodl")
    /// Queue of buffers.
    public static let audioQueue = AudioComponentDescription(type: "augn", subtype: "queu", manufacturer: "yodl")
    /// File player.
    public static let filePlayer = AudioComponentDescription(type: "augn", subtype: "afpl", manufacturer: "yodl")
    /// File writer.
    public static let fileWriter = AudioComponentDescription(type: "aufx", subtype: "afwr", manufacturer: "yodl")
    /// 3D mixer.
    public static let mixer3D = AudioComponentDescription(type: "aumx", subtype: "3dem", manufacturer: "yodl")
}
