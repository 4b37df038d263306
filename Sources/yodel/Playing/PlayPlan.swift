import AudioUnits
import Reporting

/// What `yodel play` was asked to play, and how.
struct PlayPlan {
    var paths: [String]
    /// Times; nil is for ever.
    var loops: Int? = 1
    /// All files at once instead of one after the other.
    var mixes = false
    var startSeconds = 0.0
    /// Speed, 1 as recorded.
    var rate = 1.0
    /// Whether the pitch goes with the speed.
    var pitchFollows = false
    var preset: EqualizerPreset?
    /// -1 left ... 1 right; nil leaves channels as they are.
    var pan: Float?
    var gainDecibels = 0.0

    /// The preset of a number or name; case does not matter.
    static func preset(_ text: String) throws(CommandError) -> EqualizerPreset {
        if let number = Int(text), EqualizerPreset.all.indices.contains(number) { return EqualizerPreset.all[number] }
        if let preset = EqualizerPreset.named(text) { return preset }
        let names = EqualizerPreset.all.map { $0.name.lowercased() }
        let hint = nearestName(to: text.lowercased(), among: names).map { "did you mean '\($0)'?" }
        throw CommandError(
            .usage,
            "no equalizer preset '\(text)', in --eq; "
                + (hint ?? "there are 0 to \(names.count - 1): \(names.joined(separator: ", "))"))
    }
}

/// The graph of `yodel play`: players, a mixer for several at once, speed, equalizer, and a mixer for pan, volume and
/// meters.
final class PlayGraph {
    let players: [FilePlayer]
    let mixer = MultichannelMixer()
    let graph: AudioGraph
    private let unit: any InputOutputUnit
    private let plan: PlayPlan

    /// Checks the files and connects everything; nothing is opened but files.
    init(_ plan: PlayPlan, unit: any InputOutputUnit) throws(AudioUnitError) {
        self.plan = plan
        self.unit = unit
        graph = AudioGraph(output: unit)
        var players: [FilePlayer] = []
        for paths in plan.mixes ? plan.paths.map({ [$0] }) : [plan.paths] {
            let player = FilePlayer()
            try player.setFiles(paths)
            try player.setLoopCount(plan.loops)
            if plan.startSeconds > 0 { try player.seek(to: FilePlayerPosition(seconds: plan.startSeconds)) }
            players.append(player)
        }
        self.players = players
        try unit.enable(input: false, output: true)
        try connect()
    }

    private func connect() throws(AudioUnitError) {
        var formats: [StreamFormat] = []
        for player in players { formats.append(try player.format(scope: .output, element: 0)) }
        let isStereo = plan.pan != nil || formats.contains { $0.channels > 1 }
        let format = StreamFormat(sampleRate: formats.map(\.sampleRate).max() ?? 48_000, channels: isStereo ? 2 : 1)
        var last: ProcessingUnit = players[0]
        if players.count > 1 {
            let sum = MultichannelMixer()
            try sum.setInputElements(players.count)
            try sum.setFormat(format, scope: .output, element: 0)
            for (input, player) in players.enumerated() { try graph.connect(player, to: sum, input: input) }
            last = sum
        }
        for effect in try effects() {
            try graph.connect(last, to: effect)
            last = effect
        }
        try mixer.setInputElements(1)
        try mixer.setFormat(format, scope: .output, element: 0)
        if let pan = plan.pan { try mixer.setPan(pan, input: 0) }
        mixer.isMetering = true
        try graph.connect(last, to: mixer)
        try graph.connect(mixer, to: unit)
    }

    private func effects() throws(AudioUnitError) -> [ProcessingUnit] {
        var effects: [ProcessingUnit] = []
        if plan.rate != 1 {
            if plan.pitchFollows {
                let speed = Varispeed()
                try speed.setRate(plan.rate)
                effects.append(speed)
            } else {
                let speed = TimePitch()
                try speed.setRate(plan.rate)
                effects.append(speed)
            }
        }
        if let preset = plan.preset {
            let equalizer = Equalizer()
            equalizer.setPreset(preset)
            effects.append(equalizer)
        }
        return effects
    }

    /// Opens the device and plays.
    func start() throws(AudioUnitError) {
        try graph.initialize()
        for player in players { player.play() }
        try graph.start()
    }

    /// Whether all files were played.
    var hasEnded: Bool { players.allSatisfy(\.hasEnded) }

    /// Seconds from the last sample leaving a player until it is heard: what effects, rate conversion and device hold.
    var tailSeconds: Double {
        let effects = plan.rate == 1 ? 0 : 0.15
        return effects + 0.02 + ((unit.latency.playbackDevice ?? 0) + (unit.latency.conversion ?? 0)) / 1000
    }
}
