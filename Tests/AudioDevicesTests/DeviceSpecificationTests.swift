import AudioDevices
import AudioUnits
import Testing

@Suite struct DeviceSpecificationTests {
    @Test func everyDocumentedFormParses() throws {
        #expect(try DeviceSpecification(parsing: "null") == .null)
        #expect(try DeviceSpecification(parsing: "default") == .systemDefault)
        #expect(try DeviceSpecification(parsing: "alsa:default") == .alsa(name: "default"))
        #expect(try DeviceSpecification(parsing: "alsa:pulse:mic.monitor") == .alsa(name: "pulse:mic.monitor"))
        #expect(try DeviceSpecification(parsing: "hw:0,0") == .alsa(name: "hw:0,0"))
        #expect(try DeviceSpecification(parsing: "pipe:-") == .pipe)
        #expect(try DeviceSpecification(parsing: "file:a.wav") == .file(capture: "a.wav", playback: nil, loop: false))
        #expect(
            try DeviceSpecification(parsing: "file:a,b.wav,to=out.wav,loop")
                == .file(capture: "a,b.wav", playback: "out.wav", loop: true))
        #expect(
            try DeviceSpecification(parsing: "room:office,drift=-40,near=x.flac,noise=-60,delay=25")
                == .room(
                    RoomSpecification(
                        response: .builtIn(.office), driftPPM: -40, nearPath: "x.flac", noiseDecibels: -60,
                        delayMilliseconds: 25)))
        #expect(
            try DeviceSpecification(parsing: "room:dir/rir.wav")
                == .room(RoomSpecification(response: .file(path: "dir/rir.wav"))))
    }

    @Test(arguments: [
        "", "alsa:", "file:", "pipe:", "pipe:x", "room:", "room:garage", "room:office,drift", "room:office,drift=x",
        "room:office,drift=1e9", "room:office,noise=nan", "room:office,colour=blue", "room:small,near=", "a\0b",
        "room:office,delay=-1", "room:office,,",
    ])
    func whatDoesNotParseIsRefusedWithAReason(name: String) {
        do {
            let parsed = try DeviceSpecification(parsing: name)
            Issue.record("\(name) parsed as \(parsed)")
        } catch {
            guard case .malformedName(_, let reason) = error else {
                Issue.record("unexpected \(error)")
                return
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test(arguments: [
        "null", "default", "alsa:default", "alsa:plughw:1", "file:a.wav,to=b.wav,loop", "pipe:-",
        "room:hall,drift=50.0,noise=-55.0",
    ])
    func aNameSurvivesTheRoundTrip(name: String) throws {
        let parsed = try DeviceSpecification(parsing: name)
        #expect(try DeviceSpecification(parsing: parsed.name) == parsed)
    }

    /// A device of which only its name matters here.
    private struct Named: NamedDevice {
        let name: String
        func makeDevice(_ options: DeviceOptions) throws(DeviceError) -> any HardwareDevice {
            VirtualDevice(.null, options: options)
        }
    }

    @Test func aDeviceOfAnotherKindIsMadeByItAndMayStandBesideEachOther() throws {
        let one = DeviceSpecification.other(AnyNamedDevice(Named(name: "kind:one")))
        let other = DeviceSpecification.other(AnyNamedDevice(Named(name: "kind:other")))
        #expect(one.name == "kind:one" && one != other)
        #expect(try makeDevice(one, one).identifier == "null")
        #expect(try makeDevice(one, other) is SplitDevice)
        #expect(try makeDevice(one, .room(RoomSpecification(response: .builtIn(.small)))) is SplitDevice)
    }

    @Test func theDefaultDeviceIsOneForBothDirectionsAndALSAsBesideAnotherOfALSA() throws {
        #expect(["pulse:", "alsa:default"].contains(try makeDevice(.systemDefault, .systemDefault).identifier))
        #expect(try makeDevice(.systemDefault, .alsa(name: "a")).identifier == "alsa:default+alsa:a")
        #expect(try makeDevice(.alsa(name: "a"), .systemDefault).identifier == "alsa:a+alsa:default")
        #expect(try makeDevice(.alsa(name: "default"), .alsa(name: "default")).identifier == "alsa:default")
        #expect(try makeDevice(.systemDefault, .null) is SplitDevice)
    }

    @Test("the default device is the sound server's own where one runs", .enabled(if: PulseServer.isWanted))
    func byTheServer() throws {
        #expect(try makeDevice(.systemDefault, .systemDefault).identifier == "pulse:")
        #expect(try makeDevice(.systemDefault, DeviceSpecification(parsing: "pulse:out")).identifier == "pulse:+pulse:out")
    }

    @Test func everyKindIsListed() throws {
        let names = listDevices().map(\.name)
        #expect(["null", "pipe:-", "room:small"].allSatisfy(names.contains))
    }

    @Test func aRoomCannotBeSplitBetweenDirections() throws {
        let room = try DeviceSpecification(parsing: "room:small")
        #expect(throws: DeviceError.self) { _ = try makeDevice(room, .null) }
        #expect(try makeDevice(room, room) is VirtualDevice)
        #expect(try makeDevice(.alsa(name: "a"), .null) is SplitDevice)
        #expect(try makeDevice(.alsa(name: "a"), .alsa(name: "b")) is ALSADevice)
    }

    @Test(arguments: [
        DeviceError.busy(device: "x"), .gone(device: "x"), .notFound(device: "x"),
        .hostMissing(device: "x", reason: "y"), .permissionDenied(device: "x"),
        .formatUnsupported(device: "x", reason: "y"), .streamBroken(device: "x", reason: "y"),
        .file(path: "x", reason: "y"), .malformedName(name: "x", reason: "y"), .noResources(reason: "x y"),
    ])
    func everyErrorSaysWhatIsWrongAndWhatToDo(error: DeviceError) {
        #expect(error.reason.contains("x"))
        #expect(error.remedy.hasSuffix(".") && error.remedy.count > 20)
    }
}
