import AudioUnits

/// A simulated room as written after `room:`:
/// `PATH.wav|small|office|hall[,drift=PPM][,near=FILE][,noise=DB][,delay=MS][,echo=DB]`.
public struct RoomSpecification: Sendable, Equatable, CustomStringConvertible {
    /// Where the impulse response from loudspeaker to microphone comes from.
    public enum Response: Sendable, Equatable {
        case builtIn(BuiltInRoom)
        case file(path: String)
    }

    public var response: Response
    /// Microphone clock against loudspeaker clock, in parts per million, -1000...1000.
    public var driftPPM: Double
    /// Speech file of the person in the room, looped; `nil` is nobody.
    public var nearPath: String?
    /// Level of the white background noise at the microphone, in dBov (-120...0); `nil` is none.
    public var noiseDecibels: Double?
    /// Delay added between loudspeaker and microphone, in milliseconds, 0...1000.
    public var delayMilliseconds: Double
    /// Gain of the echo path, in dB, -120...20.
    public var echoDecibels: Double

    public init(
        response: Response, driftPPM: Double = 0, nearPath: String? = nil, noiseDecibels: Double? = nil,
        delayMilliseconds: Double = 0, echoDecibels: Double = 0
    ) {
        self.response = response
        self.driftPPM = driftPPM
        self.nearPath = nearPath
        self.noiseDecibels = noiseDecibels
        self.delayMilliseconds = delayMilliseconds
        self.echoDecibels = echoDecibels
    }

    /// Reads what follows `room:` in the device name `name`.
    init(parsing text: String, of name: String) throws(DeviceError) {
        func fail(_ reason: String) -> DeviceError { .malformedName(name: name, reason: reason) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let model = parts[0]
        if let builtIn = BuiltInRoom(rawValue: model) {
            self.init(response: .builtIn(builtIn))
        } else if model.hasSuffix(".wav") || model.hasSuffix(".flac") {
            self.init(response: .file(path: model))
        } else {
            throw fail("`\(model)` is no room: small, office, hall, or an impulse response PATH.wav")
        }
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: "=") else { throw fail("`\(part)` is not KEY=VALUE") }
            let key = String(part[..<equals])
            let value = String(part[part.index(after: equals)...])
            func number(_ range: ClosedRange<Double>) throws(DeviceError) -> Double {
                guard let number = Double(value), range.contains(number) else {
                    throw fail("\(key)=\(value) is not a number in \(range.lowerBound)...\(range.upperBound)")
                }
                return number
            }
            switch key {
            case "drift": driftPPM = try number(-1000...1000)
            case "noise": noiseDecibels = try number(-120...0)
            case "delay": delayMilliseconds = try number(0...1000)
            case "echo": echoDecibels = try number(-120...20)
            case "near":
                if value.isEmpty { throw fail("near= needs a file") }
                nearPath = value
            default: throw fail("`\(key)` is no room option: drift, near, noise, delay, echo")
            }
        }
    }

    /// The text that parses back to this room.
    public var description: String {
        var text: String
        switch response {
        case .builtIn(let room): text = room.rawValue
        case .file(let path): text = path
        }
        if driftPPM != 0 { text += ",drift=\(driftPPM)" }
        if let nearPath { text += ",near=\(nearPath)" }
        if let noiseDecibels { text += ",noise=\(noiseDecibels)" }
        if delayMilliseconds != 0 { text += ",delay=\(delayMilliseconds)" }
        if echoDecibels != 0 { text += ",echo=\(echoDecibels)" }
        return text
    }
}

/// Rooms whose impulse response is computed, not recorded (see `RoomResponse`).
public enum BuiltInRoom: String, Sendable, CaseIterable {
    /// A small furnished room: 3.2 x 2.6 x 2.4 m, reverberation time 0.20 s.
    case small
    /// An office: 5.2 x 4.1 x 2.7 m, reverberation time 0.40 s.
    case office
    /// A hall: 12 x 9 x 4.5 m, reverberation time 0.90 s.
    case hall
}
