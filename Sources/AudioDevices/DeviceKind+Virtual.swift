import AudioUnits

/// The kinds that `VirtualDevice` stands for. They always open; those that need a path show where it goes.
extension DeviceKind {
    /// Silence in, nothing out.
    static let null = DeviceKind(
        prefix: "null", list: { [virtual("null", "silence in, nothing out")] },
        parse: { (rest, fail) throws(DeviceError) in
            if !rest.isEmpty { throw fail("nothing follows `null`") }
            return .null
        })

    /// An audio file in place of a microphone, a WAV file in place of a loudspeaker.
    static let file = DeviceKind(
        prefix: "file",
        list: { [virtual("file:PATH[,to=WAV][,loop]", "an audio file as microphone, a WAV file as loudspeaker")] },
        parse: { (rest, fail) throws(DeviceError) in try parseFile(rest, fail) })

    /// Standard input and output.
    static let pipe = DeviceKind(
        prefix: "pipe", list: { [virtual("pipe:-", "raw 16-bit mono samples on standard input and output")] },
        parse: { (rest, fail) throws(DeviceError) in
            if rest != "-" { throw fail("only `pipe:-` (standard input and output) is known") }
            return .pipe
        })

    /// A simulated room.
    static let room = DeviceKind(
        prefix: "room",
        list: {
            [
                virtual("room:small", "simulated small room, reverberation 0.2 s"),
                virtual("room:office", "simulated office, reverberation 0.4 s"),
                virtual("room:hall", "simulated hall, reverberation 0.9 s"),
            ]
        },
        parse: { (rest, _) throws(DeviceError) in .room(try RoomSpecification(parsing: rest, of: "room:" + rest)) })

    private static func virtual(_ name: String, _ description: String) -> DeviceListing {
        let works = DeviceListing.Direction(opens: true)
        return DeviceListing(name: name, description: description, capture: works, playback: works)
    }

    /// `PATH`, `PATH,loop`, `PATH,to=OUT`, `,to=OUT`: options are taken off the end, so a path may hold commas.
    private static func parseFile(
        _ text: String, _ fail: (String) -> DeviceError
    ) throws(DeviceError) -> DeviceSpecification {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var playback: String?
        var loop = false
        while parts.count > 1, let last = parts.last {
            if last == "loop" {
                loop = true
            } else if last.hasPrefix("to="), last.count > 3 {
                playback = String(last.dropFirst(3))
            } else {
                break
            }
            parts.removeLast()
        }
        let path = parts.joined(separator: ",")
        if path.isEmpty && playback == nil { throw fail("a path must follow `file:`") }
        return .file(capture: path.isEmpty ? nil : path, playback: playback, loop: loop)
    }
}
