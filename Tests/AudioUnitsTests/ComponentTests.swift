import AudioUnits
import Testing

@Suite("Components")
struct ComponentTests {
    @Test("a four-character code reads and prints its four characters")
    func codes() {
        #expect(FourCharacterCode(text: "rioc")?.rawValue == 0x7269_6F63)
        #expect(FourCharacterCode(rawValue: 0x7269_6F63).description == "rioc")
        #expect(FourCharacterCode(text: "toolong") == nil)
        #expect(FourCharacterCode(text: "é1") == nil)
        #expect(FourCharacterCode(text: "") == nil)
        #expect(FourCharacterCode.any.description == "any")
    }

    @Test("an empty description matches every component, a partial one the ones that fit")
    func partialMatch() {
        #expect(AudioComponent.matching(AudioComponentDescription()).count == 4)
        let outputs = AudioComponent.matching(AudioComponentDescription(type: "auou"))
        #expect(outputs.map(\.description.subtype.description) == ["rioc", "vpio", "genr"])
        #expect(AudioComponent.matching(AudioComponentDescription(subtype: "conv")).map(\.name) == ["Converter"])
        #expect(AudioComponent.matching(AudioComponentDescription(manufacturer: "nope")).isEmpty)
        #expect(AudioComponent.matching(AudioComponentDescription(type: "aufc", subtype: "rioc")).isEmpty)
    }

    @Test("instantiating gives a unit of that description; an I/O unit needs a device")
    func instantiate() throws {
        for component in AudioComponent.matching(AudioComponentDescription()) {
            let unit = try component.instantiate(device: ManualDevice())
            #expect(unit.component == component.description)
            #expect(unit.state == .uninitialized)
            if component.needsDevice {
                #expect(throws: AudioUnitError.deviceMissing) { try component.instantiate() }
            } else {
                _ = try component.instantiate()
            }
        }
    }
}
