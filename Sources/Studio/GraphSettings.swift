import AudioUnits
import Glibc
import Settings
import Softphone

/// Carries one setting of a graph's file to its unit.
enum GraphSettings {
    /// Sets `name` of `unit`, or of its input.
    ///
    /// - Throws: what is wrong with the value, as the file's line says it.
    static func set(
        _ name: String, _ value: GraphDescription.Value, of unit: ProcessingUnit, input: Int?, path: String
    ) throws(SoftphoneError) {
        let place = GraphValue(value: value, name: name, path: path)
        do throws(AudioUnitError) {
            switch unit {
            case let player as FilePlayer: try set(name, place, of: player)
            case let tone as ToneGenerator:
                try name == "frequency" ? tone.setFrequency(place.number()) : tone.setLevel(place.number())
            case let mixer as MultichannelMixer: try set(name, place, of: mixer, input: input)
            case let mixer as Mixer3D: try set(name, place, of: mixer, input: input)
            case let equalizer as Equalizer:
                if name == "gain" { try equalizer.setOverallGain(place.number()) } else { try setPreset(place, of: equalizer) }
            case let speed as Varispeed: try speed.setRate(place.number())
            case let speed as TimePitch: try name == "rate" ? speed.setRate(place.number()) : speed.setPitch(place.number())
            default: break
            }
        } catch {
            throw place.refused(error)
        }
    }

    private static func set(_ name: String, _ value: GraphValue, of player: FilePlayer) throws(AudioUnitError) {
        switch name {
        case "play": try value.flag() ? player.play() : player.pause()
        case "position", "start":
            var position = player.position
            position.seconds = try value.number()
            try player.seek(to: position)
        case "loop":
            guard let count = Int(value.value.text), count >= 0 else {
                throw .outOfRange(setting: "loop", allowed: "a whole number: 1 or more, or 0 for ever")
            }
            try player.setLoopCount(count == 0 ? nil : count)
        default: break
        }
    }

    private static func set(
        _ name: String, _ value: GraphValue, of mixer: MultichannelMixer, input: Int?
    ) throws(AudioUnitError) {
        guard let input else { return try mixer.setOutputVolume(Float(value.number())) }
        switch name {
        case "volume": try mixer.setVolume(Float(value.number()), input: input)
        case "pan": try mixer.setPan(Float(value.number()), input: input)
        case "enabled": try mixer.setEnabled(value.flag(), input: input)
        default: break
        }
    }

    private static func set(_ name: String, _ value: GraphValue, of mixer: Mixer3D, input: Int?) throws(AudioUnitError) {
        guard let input else {
            if name == "volume" { try mixer.setOutputVolume(Float(value.number())) }
            if name == "rendering" { mixer.rendering = try value.choice(["head": .sphericalHead, "panning": .panning]) }
            return
        }
        if name == "volume" { return try mixer.setVolume(Float(value.number()), input: input) }
        if name == "enabled" { return try mixer.setEnabled(value.flag(), input: input) }
        var position = try mixer.position(input: input)
        switch name {
        case "azimuth": position.azimuth = try value.number()
        case "elevation": position.elevation = try value.number()
        default: position.distance = try value.number()
        }
        try mixer.setPosition(position, input: input)
    }

    private static func setPreset(_ value: GraphValue, of equalizer: Equalizer) throws(AudioUnitError) {
        do {
            equalizer.setPreset(try PlayPlan.preset(value.value.text))
        } catch {
            throw .outOfRange(setting: "preset", allowed: "a preset of `yodel help play`")
        }
    }
}

/// A value of a graph's file on its way to a unit.
struct GraphValue {
    let value: GraphDescription.Value
    let name: String
    let path: String

    func number() throws(AudioUnitError) -> Double {
        guard let number = Double(value.text), number.isFinite else {
            throw .outOfRange(setting: name, allowed: "a number")
        }
        return number
    }

    func flag() throws(AudioUnitError) -> Bool {
        try choice(["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false])
    }

    func choice<Choice>(_ names: [String: Choice]) throws(AudioUnitError) -> Choice {
        guard let choice = names[value.text.lowercased()] else {
            throw .outOfRange(setting: name, allowed: names.keys.sorted().joined(separator: ", "))
        }
        return choice
    }

    /// The unit's refusal, with the line.
    func refused(_ error: AudioUnitError) -> SoftphoneError {
        switch error {
        case .outOfRange(_, let allowed):
            .request("\(name) cannot be '\(value.text)', \(path):\(value.line); give \(allowed)")
        case .file(let error):
            .request(
                "\(error.reason), \(error.path), named in \(path):\(value.line); name an audio file that can be read")
        case .formatUnsupported(let format, let reason):
            .request(
                "\(name) cannot be '\(value.text)' (\(Int(format.sampleRate)) Hz, channels: \(format.channels)), "
                    + "\(path):\(value.line); \(reason)")
        default:
            .request("\(name) cannot be '\(value.text)' (\(error)), \(path):\(value.line); see docs/commands.md")
        }
    }
}
