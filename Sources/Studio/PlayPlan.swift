import AudioUnits
import Reporting
import Softphone

/// What `yodel play` was asked to play, and how.
package struct PlayPlan {
    package var paths: [String]
    /// Times; nil is for ever.
    package var loops: Int? = 1
    /// All files at once instead of one after the other.
    package var mixes = false
    package var startSeconds = 0.0
    /// Speed, 1 as recorded.
    package var rate = 1.0
    /// Whether the pitch goes with the speed.
    package var pitchFollows = false
    package var preset: EqualizerPreset?
    /// -1 left ... 1 right; nil leaves channels as they are.
    package var pan: Float?
    package var gainDecibels = 0.0

    package init(paths: [String]) { self.paths = paths }

    /// Where a file of a mix is once the mix was played for `elapsed` seconds; nil where that cannot be known.
    /// - Parameter length: of the file, in seconds; nil where only playing it will tell.
    package func position(after elapsed: Double, length: Double?) -> FilePlayerPosition? {
        let elapsed = max(0, elapsed)
        guard let length, length > 0 else { return loops == 1 ? FilePlayerPosition(seconds: elapsed) : nil }
        if let loops, elapsed >= length * Double(loops) { return FilePlayerPosition(seconds: length, round: loops - 1) }
        let round = (elapsed / length).rounded(.down)
        return FilePlayerPosition(seconds: max(0, elapsed - round * length), round: Int(round))
    }

    /// The preset of a number or name; case does not matter.
    package static func preset(_ text: String) throws(SoftphoneError) -> EqualizerPreset {
        if let number = Int(text), EqualizerPreset.all.indices.contains(number) { return EqualizerPreset.all[number] }
        if let preset = EqualizerPreset.named(text) { return preset }
        let names = EqualizerPreset.all.map { $0.name.lowercased() }
        let hint = nearestName(to: text.lowercased(), among: names).map { "did you mean '\($0)'?" }
        throw SoftphoneError.request(
            "no equalizer preset '\(text)', in --eq; "
                + (hint ?? "there are 0 to \(names.count - 1): \(names.joined(separator: ", "))"))
    }
}
