/// A sound that comes with the equalizer, found by number or name.
///
/// The curves are this project's own, of shelves and peaks; raised ones come with less overall gain, so that music near
/// full scale does not clip.
public struct EqualizerPreset: Sendable, Equatable {
    /// Its place in `all`, which stays the same.
    public let number: Int
    /// Its name in English.
    public let name: String
    /// Gain over everything, in dB.
    public let overallGain: Double
    /// Its filters.
    public let bands: [EqualizerBand]

    /// Every preset, by number.
    public static let all: [EqualizerPreset] = [
        ("Flat", 0, []),
        ("Bass booster", -5, [low(110, 6)]),
        ("Bass reducer", 0, [low(110, -6)]),
        ("Treble booster", -5, [high(4_500, 6)]),
        ("Treble reducer", 0, [high(4_500, -6)]),
        ("Spoken word", -3, [low(150, -5), peak(2_800, 4, 0.8), high(8_000, -2)]),
        ("Vocal booster", -3, [low(120, -3), peak(1_800, 4, 0.7)]),
        ("Loudness", -5, [low(90, 6), peak(900, -1.5, 0.5), high(7_000, 4)]),
        ("Small speakers", -4, [low(90, -6), peak(200, 4, 0.8), high(6_000, 2)]),
        ("Telephone", 0, [cut(.highPass, 300), cut(.lowPass, 3_400)]),
        ("Rock", -4, [low(100, 5), peak(500, -2, 0.8), high(5_000, 4)]),
        ("Pop", -3, [peak(1_200, 3, 0.6), low(80, -1.5), high(9_000, -1)]),
        ("Jazz", -3, [low(110, 3), peak(500, -1.5, 0.8), high(6_000, 3)]),
        ("Classical", -3, [low(90, 3), peak(1_000, -1, 0.5), high(6_500, 3)]),
        ("Dance", -5, [low(80, 6), peak(400, -1.5, 1), peak(2_500, 3, 0.8)]),
        ("Electronic", -4, [low(80, 5), peak(700, -2, 0.7), high(7_000, 4)]),
        ("Acoustic", -3, [low(110, 3), peak(2_500, 2, 0.8), high(9_000, 2)]),
        ("Piano", -2, [low(110, 1.5), peak(2_800, 2.5, 0.9)]),
    ].enumerated().map { EqualizerPreset(number: $0, name: $1.0, overallGain: $1.1, bands: $1.2) }

    /// The preset with that name; case does not matter.
    public static func named(_ name: String) -> EqualizerPreset? {
        all.first { $0.name.lowercased() == name.lowercased() }
    }

    private static func low(_ frequency: Double, _ gain: Double) -> EqualizerBand {
        EqualizerBand(.lowShelf, frequency: frequency, gain: gain)
    }

    private static func high(_ frequency: Double, _ gain: Double) -> EqualizerBand {
        EqualizerBand(.highShelf, frequency: frequency, gain: gain)
    }

    private static func peak(_ frequency: Double, _ gain: Double, _ quality: Double) -> EqualizerBand {
        EqualizerBand(.peak, frequency: frequency, gain: gain, quality: quality)
    }

    private static func cut(_ kind: EqualizerBand.Kind, _ frequency: Double) -> EqualizerBand {
        EqualizerBand(kind, frequency: frequency)
    }
}
