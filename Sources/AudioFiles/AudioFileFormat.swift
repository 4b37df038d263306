import CSndFile

/// A kind of audio file that can be written, chosen by how the name ends.
public enum AudioFileFormat: String, Sendable, CaseIterable {
    case wav, rf64, w64, aiff, caf, au, flac, ogg, opus, mp3

    /// The format of a name's ending: those above, and `aif`, `snd`, `oga`; nil for others.
    public init?(path: String) {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        let others: [String: AudioFileFormat] = ["aif": .aiff, "aifc": .aiff, "snd": .au, "oga": .ogg, "wave": .wav]
        guard let format = AudioFileFormat(rawValue: ending) ?? others[ending] else { return nil }
        self = format
    }

    /// Every ending, for messages.
    public static let endings = allCases.map { "." + $0.rawValue }.joined(separator: " ")

    /// Whether sound comes back as it went in.
    public var isLossless: Bool {
        switch self {
        case .ogg, .opus, .mp3: false
        default: true
        }
    }

    /// Whether the header holds lengths that have to follow the recording; others are streams.
    var renewsHeader: Bool {
        switch self {
        case .flac, .ogg, .opus, .mp3: false
        default: true
        }
    }

    /// Most bytes a file may have: the length fields of the older ones have 32 bits.
    var mostBytes: Int {
        switch self {
        case .wav, .aiff, .au: 0xFFFF_0000
        default: Int.max
        }
    }

    /// Whether it holds sound of that rate; libsndfile knows only once the file is there.
    func takes(rate: Int) -> Bool {
        switch self {
        case .opus: [8_000, 12_000, 16_000, 24_000, 48_000].contains(rate)
        case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].contains(rate)
        default: rate > 0
        }
    }

    /// libsndfile's number for it.
    func code(_ depth: AudioFileDepth) -> Int32 {
        let major =
            switch self {
            case .wav: SF_FORMAT_WAV
            case .rf64: SF_FORMAT_RF64
            case .w64: SF_FORMAT_W64
            case .aiff: SF_FORMAT_AIFF
            case .caf: SF_FORMAT_CAF
            case .au: SF_FORMAT_AU
            case .flac: SF_FORMAT_FLAC
            case .ogg, .opus: SF_FORMAT_OGG
            case .mp3: SF_FORMAT_MPEG
            }
        let coding =
            switch (self, depth) {
            case (.ogg, _): SF_FORMAT_VORBIS
            case (.opus, _): SF_FORMAT_OPUS
            case (.mp3, _): SF_FORMAT_MPEG_LAYER_III
            case (_, .int16): SF_FORMAT_PCM_16
            case (_, .int24): SF_FORMAT_PCM_24
            case (_, .float32): SF_FORMAT_FLOAT
            }
        return Int32(bitPattern: UInt32(major) | UInt32(coding))
    }
}

/// How a sample is stored where nothing is compressed with loss.
public enum AudioFileDepth: Int, Sendable, CaseIterable {
    case int16 = 16
    case int24 = 24
    case float32 = 32
}
