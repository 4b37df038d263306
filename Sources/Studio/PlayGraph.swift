import AudioFiles
import AudioUnits
import Reporting
import Softphone

/// The graph of `yodel play`: players, a mixer for several at once, speed, equalizer, and a mixer for pan, volume and
/// meters.
package final class PlayGraph {
    let players: [FilePlayer]
    let mixer = MultichannelMixer()
    let graph: AudioGraph
    let unit: any InputOutputUnit
    let plan: PlayPlan

    /// Checks the files and connects everything; nothing is opened but files.
    package init(_ plan: PlayPlan, on device: DeviceChoice) throws(SoftphoneError) {
        self.plan = plan
        try PathCheck.distinct(written: device.filesWritten, read: plan.paths.map { NamedFile("FILE", $0) })
        do { unit = try device.makeUnit(voiceProcessing: false) } catch { throw SoftphoneError(error) }
        graph = AudioGraph(output: unit)
        do throws(AudioUnitError) {
            players = try Self.players(plan)
            try unit.enable(input: false, output: true)
            try connect()
        } catch {
            throw SoftphoneError(error)
        }
        // One player has all files, and begins in the first; with --mix each has one.
        for (player, path) in zip(players, plan.paths) {
            guard plan.startSeconds > 0, let seconds = player.seconds[0], plan.startSeconds >= seconds else { continue }
            throw .request("\(path) is \(Text.fixed(seconds, 2)) s long, and ends before --start; begin earlier")
        }
    }

    private static func players(_ plan: PlayPlan) throws(AudioUnitError) -> [FilePlayer] {
        var players: [FilePlayer] = []
        for paths in plan.mixes ? plan.paths.map({ [$0] }) : [plan.paths] {
            let player = FilePlayer()
            do throws(AudioUnitError) { try player.setFiles(paths) } catch .formatUnsupported(let format, let reason) {
                // The player has the rate of the first one.
                throw .file(AudioFileError(path: paths[0], reason: "it has \(Int(format.sampleRate)) Hz, and \(reason)"))
            }
            try player.setLoopCount(plan.loops)
            if plan.startSeconds > 0 { try player.seek(to: FilePlayerPosition(seconds: plan.startSeconds)) }
            players.append(player)
        }
        return players
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

    /// The player whose place is told: in a mix the longest of those that still play.
    private var leader: Int {
        func rank(_ player: Int) -> (Int, Double) {
            (players[player].hasEnded ? 0 : 1, players[player].seconds[0] ?? .infinity)
        }
        return players.indices.max { rank($0) < rank($1) } ?? 0
    }

    /// What is told of where it is: the place, in a file of which length in seconds, nil where that is not known.
    var place: (position: FilePlayerPosition, length: Double?, path: String) {
        let leader = self.leader
        let position = players[leader].position
        let lengths = players[leader].seconds
        return (
            position, lengths.indices.contains(position.file) ? lengths[position.file] : nil,
            plan.paths[plan.mixes ? leader : position.file]
        )
    }

    /// Seconds of a mix that were played; nil where the length of a file that is repeated is not known.
    private var elapsed: Double? {
        let (position, length, _) = place
        return position.round == 0 ? position.seconds : length.map { Double(position.round) * $0 + position.seconds }
    }

    /// Goes on by `step` seconds, or back: in a mix all files to one place of it.
    func move(by step: Double) {
        let target = plan.mixes ? elapsed.map { $0 + step } : nil
        for player in players {
            var position = player.position
            position.seconds = max(0, position.seconds + step)
            try? player.seek(to: target.flatMap { plan.position(after: $0, length: player.seconds[0]) } ?? position)
        }
    }

    /// Whether all files were played.
    var hasEnded: Bool { players.allSatisfy(\.hasEnded) }

    /// Seconds from the last sample leaving a player until it is heard: what effects, rate conversion and device hold.
    var tailSeconds: Double {
        let effects = plan.rate == 1 ? 0 : 0.15
        return effects + 0.02 + ((unit.latency.playbackDevice ?? 0) + (unit.latency.conversion ?? 0)) / 1000
    }
}
