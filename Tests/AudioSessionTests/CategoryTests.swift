import AudioSession
import Testing

@Suite("Session categories") struct CategoryTests {
    /// Written out by hand beside the code's table: others without options, with mix, with duck, with both.
    static let expected: [(SessionCategory, [OthersEffect], switched: Bool, input: Bool, output: Bool, several: Bool)] = [
        (.ambient, [.mixed, .mixed, .ducked, .ducked], true, false, true, false),
        (.soloAmbient, [.silenced, .silenced, .silenced, .silenced], true, false, true, false),
        (.playback, [.silenced, .mixed, .ducked, .ducked], false, false, true, false),
        (.record, [.silenced, .silenced, .silenced, .silenced], false, true, false, false),
        (.playAndRecord, [.silenced, .mixed, .ducked, .ducked], false, true, true, false),
        (.multiRoute, [.silenced, .mixed, .ducked, .ducked], false, true, true, true),
    ]

    @Test("S1: each category with each option has the effect the table says")
    func effects() {
        #expect(Set(Self.expected.map(\.0)) == Set(SessionCategory.allCases))
        for row in Self.expected {
            for (index, options) in [[], .mixWithOthers, .duckOthers, [.mixWithOthers, .duckOthers]].enumerated()
                as EnumeratedSequence<[SessionOptions]>
            {
                let effect = CategoryEffect(row.0, options)
                #expect(effect.others == row.1[index], "\(row.0) \(options)")
                #expect(effect.obeysSilentSwitch == row.switched && effect.input == row.input, "\(row.0)")
                #expect(effect.output == row.output && effect.severalOutputs == row.several, "\(row.0)")
            }
        }
    }

    @Test("S1: solo ambient is the default, and older names mean one of the six")
    func names() {
        #expect(AudioSession().category == .soloAmbient)
        #expect(SessionCategory(name: "play_and_record") == .playAndRecord)
        #expect(SessionCategory(name: "user_interface_sound_effects") == .ambient)
        #expect(SessionCategory(name: "live_audio") == .playback)
        for name in ["", "PLAYBACK", "playback ", "other"] { #expect(SessionCategory(name: name) == nil, "\(name)") }
    }
}
