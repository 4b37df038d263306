import AudioFiles
import AudioUnits
import Settings
import Softphone

/// A described graph, built, and rendered slice by slice on the thread that calls: at its own pace offline, at the device's
/// when it is played. Both make the same samples, because the device gets them through a ring.
package final class GraphRun {
    /// Rate and channels of what is rendered, interleaved.
    package let format: StreamFormat
    /// Frames rendered so far.
    private(set) var frames = 0
    /// Length in seconds, when it is known: from the description, or the longest player's and the tail.
    private(set) var seconds: Double?

    private let description: GraphDescription
    private let output = GenericOutput()
    private let graph: AudioGraph
    private var units: [String: ProcessingUnit] = [:]
    private var players: [FilePlayer] = []
    private var steps: [(frame: Int, step: GraphDescription.Step)] = []
    /// Frames of the whole; nil until the players have ended.
    private var limit: Int?

    /// Builds the units and reads the first of their files.
    package init(_ description: GraphDescription) throws(SoftphoneError) {
        self.description = description
        graph = AudioGraph(output: output)
        format = StreamFormat(sampleRate: Double(description.rate), channels: description.channels, interleaved: true)
        limit = description.duration.map { Int(($0 * Double(description.rate)).rounded()) }
        for unit in description.units {
            let built = try build(unit)
            units[unit.name] = built
            if let player = built as? FilePlayer { players.append(player) }
        }
        steps = description.automation.map { (Int(($0.seconds * Double(description.rate)).rounded()), $0) }
            .enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element)
        if limit == nil { try checkThatItEnds() }
        seconds = description.duration ?? expectedSeconds()
        try connect()
    }

    /// Damaged files that were met.
    var damages: [AudioFileError] { players.flatMap(\.damages) }

    /// Renders the next slice into `buffer`, of `block` frames or less: changes happen exactly at their frame.
    ///
    /// - Returns: frames rendered; 0 at the end.
    func next(into buffer: UnsafeMutableBufferPointer<Float>) throws(SoftphoneError) -> Int {
        while let first = steps.first, first.frame <= frames {
            steps.removeFirst()
            if let unit = units[first.step.unit] {
                try GraphSettings.set(
                    first.step.setting, first.step.value, of: unit, input: first.step.input, path: description.path)
            }
        }
        var count = min(description.block, buffer.count / format.channels)
        if let change = steps.first?.frame { count = min(count, change - frames) }
        if let limit { count = min(count, limit - frames) }
        guard count > 0 else { return 0 }
        for player in players { player.fill() }
        do {
            try output.render(into: UnsafeMutableRawBufferPointer(buffer), frames: count)
        } catch {
            throw SoftphoneError(error)
        }
        frames += count
        if limit == nil, players.allSatisfy(\.hasEnded) {
            limit = frames + Int((description.tail * Double(description.rate)).rounded())
        }
        return count
    }

    // MARK: building

    private func build(_ unit: GraphDescription.Unit) throws(SoftphoneError) -> ProcessingUnit {
        let channels = try channels(of: unit)
        let built: ProcessingUnit
        do throws(AudioUnitError) {
            switch unit.kind {
            case .player:
                let player = FilePlayer()
                try player.setFiles(unit.files.map(\.text))
                try player.setReading(.manual)
                player.play()
                built = player
            case .tone: built = try ToneGenerator(rate: description.rate)
            case .mixer:
                let mixer = MultichannelMixer()
                try mixer.setInputElements(unit.inputs.count)
                try mixer.setFormat(
                    StreamFormat(sampleRate: format.sampleRate, channels: channels), scope: .output, element: 0)
                built = mixer
            case .mixer3d:
                let mixer = Mixer3D()
                try mixer.setInputElements(unit.inputs.count)
                try mixer.setFormat(StreamFormat(sampleRate: format.sampleRate, channels: 2), scope: .output, element: 0)
                built = mixer
            case .equalizer: built = Equalizer()
            case .varispeed: built = Varispeed()
            case .timepitch: built = TimePitch()
            }
        } catch {
            throw GraphValue(
                value: unit.files.first ?? GraphDescription.Value(text: unit.name, line: unit.line), name: "file",
                path: description.path
            ).refused(error)
        }
        // A preset has a gain too: one that is given holds, wherever it stands.
        let ordered = unit.settings.sorted {
            ($0.key == "preset" ? 0 : 1, $0.value.line, $0.key) < ($1.key == "preset" ? 0 : 1, $1.value.line, $1.key)
        }
        for (name, value) in ordered where name != "channels" {
            try GraphSettings.set(name, value, of: built, input: nil, path: description.path)
        }
        for (index, input) in unit.inputs.enumerated() {
            for (name, value) in input.settings {
                try GraphSettings.set(name, value, of: built, input: index, path: description.path)
            }
        }
        return built
    }

    private func channels(of unit: GraphDescription.Unit) throws(SoftphoneError) -> Int {
        guard let value = unit.settings["channels"] else { return description.channels }
        guard let count = Int(value.text), (1...2).contains(count) else {
            throw GraphValue(value: value, name: "channels", path: description.path)
                .refused(.outOfRange(setting: "channels", allowed: "1 or 2"))
        }
        return count
    }

    private func connect() throws(SoftphoneError) {
        func unit(_ name: String) -> ProcessingUnit? { units[name] }
        do throws(AudioUnitError) {
            try output.setFormat(format, scope: .output, element: 0)
            try graph.setMaximumFramesPerSlice(max(1024, description.block))
            try output.setMaximumFramesPerSlice(max(1024, description.block))
            for described in description.units {
                guard let target = unit(described.name) else { continue }
                for (index, input) in described.inputs.enumerated() {
                    if let source = unit(input.unit.text) { try graph.connect(source, to: target, input: index) }
                }
            }
            if let last = unit(description.output.text) { try graph.connect(last, to: output) }
            try graph.initialize()
        } catch {
            let line = description.output.line
            throw SoftphoneError.request("\(text(error)), \(description.path):\(line); see config/graph.yaml")
        }
    }

    private func text(_ error: AudioUnitError) -> String {
        switch error {
        case .loop(let unit): "the units feed each other in a circle (\(unit))"
        case .outputTaken(let unit, _): "the output feeds another unit already (\(unit))"
        case .formatUnsupported(_, let reason): reason
        default: "the graph cannot be built: \(error)"
        }
    }

    private func checkThatItEnds() throws(SoftphoneError) {
        let endless = description.units.compactMap { endlessLine(of: $0) }.first
        guard players.isEmpty || endless != nil else { return }
        throw SoftphoneError.request(
            "it would never end, \(description.path):\(endless ?? 1); give a `duration` in seconds, or --duration"
        )
    }

    /// The line by which a player never ends: it begins anew for ever, or stands still and is not told to go on.
    private func endlessLine(of unit: GraphDescription.Unit) -> Int? {
        guard unit.kind == .player else { return nil }
        if let loop = unit.settings["loop"], Int(loop.text) == 0 { return loop.line }
        let change = steps.last { $0.step.unit == unit.name && $0.step.setting == "play" }
        guard let last = change?.step.value ?? unit.settings["play"] else { return nil }
        let plays = try? GraphValue(value: last, name: "play", path: description.path).flag()
        return plays == false ? last.line : nil
    }

    /// Seconds until the last player has ended, and the tail; nil where they are not known, or something moves the time.
    private func expectedSeconds() -> Double? {
        let movesTime =
            description.units.contains { [.varispeed, .timepitch].contains($0.kind) }
            || description.automation.contains { ["play", "position"].contains($0.setting) }
        if movesTime { return nil }
        var longest = 0.0
        for unit in description.units {
            guard let player = units[unit.name] as? FilePlayer else { continue }
            let lengths = player.seconds.compactMap(\.self)
            guard lengths.count == player.seconds.count, let first = lengths.first else { return nil }
            let rounds = unit.settings["loop"].flatMap { Double($0.text) } ?? 1
            longest = max(longest, lengths.reduce(0, +) * rounds - min(player.position.seconds, first))
        }
        return longest + description.tail
    }
}
