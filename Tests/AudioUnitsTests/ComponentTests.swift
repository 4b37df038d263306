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
        let all = AudioComponent.matching(AudioComponentDescription(manufacturer: "yodl")).map(\.description.description)
        #expect(
            all == [
                "auou/rioc/yodl", "auou/vpio/yodl", "auou/genr/yodl", "aufc/conv/yodl", "aumx/mcmx/yodl", "aumx/3dem/yodl",
                "aufx/ipeq/yodl", "aufc/vari/yodl", "aufc/nutp/yodl", "augn/queu/yodl", "augn/afpl/yodl", "aufx/afwr/yodl",
            ])
        let outputs = AudioComponent.matching(AudioComponentDescription(type: "auou"))
        #expect(outputs.map(\.description.subtype.description) == ["rioc", "vpio", "genr"])
        #expect(AudioComponent.matching(AudioComponentDescription(subtype: "conv")).map(\.name) == ["Converter"])
        #expect(AudioComponent.matching(AudioComponentDescription(manufacturer: "nope")).isEmpty)
        #expect(AudioComponent.matching(AudioComponentDescription(type: "aufc", subtype: "rioc")).isEmpty)
    }

    @Test("instantiating gives a unit of that description; an I/O unit needs a device")
    func instantiate() throws {
        for component in AudioComponent.matching(AudioComponentDescription(manufacturer: "yodl")) {
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

    @Test("a program's own component is registered once, found like the others, and instantiated")
    func ownComponent() throws {
        let description = AudioComponentDescription(type: "aufx", subtype: "gain", manufacturer: "mine")
        try AudioComponent.register(description, name: "Gain") { () throws(AudioUnitError) in GainUnit(2) }
        defer { AudioComponent.unregister(description) }
        let found = AudioComponent.matching(AudioComponentDescription(manufacturer: "mine"))
        #expect(found.map(\.name) == ["Gain"] && found.map(\.needsDevice) == [false])
        #expect(try found.first?.instantiate() is GainUnit)
        #expect(throws: AudioUnitError.cannotRegister(description)) {
            try AudioComponent.register(description, name: "Again") { () throws(AudioUnitError) in GainUnit(2) }
        }
        #expect(throws: AudioUnitError.cannotRegister(.remoteIO)) {
            try AudioComponent.register(.remoteIO, name: "Mine") { () throws(AudioUnitError) in GainUnit(2) }
        }
        let open = AudioComponentDescription(type: "aufx", manufacturer: "mine")
        #expect(throws: AudioUnitError.cannotRegister(open)) {
            try AudioComponent.register(open, name: "Open") { () throws(AudioUnitError) in GainUnit(2) }
        }
        #expect(AudioComponent.unregister(description))
        #expect(!AudioComponent.unregister(description))
        #expect(AudioComponent.matching(description).isEmpty)
    }
}
