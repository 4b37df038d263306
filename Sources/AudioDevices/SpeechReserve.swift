import Realtime

/// How much of what a program says is there before it begins to be played, so that what comes a little late is still in time. It knows
/// no clock.
///
/// Sound that runs dry and goes on within 200 ms was late; longer silence is the end of what the program had to say.
struct SpeechReserve {
    /// What speech begins with, ms.
    private(set) var milliseconds = least
    /// When nothing was left to play, in the middle of speech; `nil`: it goes on, or was over long ago.
    private var ranDry: HostTime?
    private var lastLate: HostTime?

    private static let least = 10.0
    private static let most = 80.0
    /// A pause is no lateness, ms.
    private static let pause = 200.0
    /// What was late once is forgotten by half after so long, ms.
    private static let memory = 10_000.0

    /// There is nothing to play though speech has begun.
    mutating func runsDry(at now: HostTime) { ranDry = now }

    /// What was to be played is forgotten on purpose.
    mutating func isCleared() { ranDry = nil }

    /// Something is said again.
    /// - Returns: by how much it was late, ms; 0: it was not.
    mutating func comes(at now: HostTime) -> Double {
        guard let since = ranDry.take() else { return 0 }
        let late = max(0, now.milliseconds(since: since))
        guard late < Self.pause else { return 0 }
        milliseconds = min(max(milliseconds, late + Self.least), Self.most)
        lastLate = now
        return late
    }

    /// Speech begins to be played.
    mutating func begins(at now: HostTime) {
        guard let late = lastLate, now.milliseconds(since: late) > Self.memory else { return }
        milliseconds = max(Self.least, milliseconds / 2)
        lastLate = milliseconds > Self.least ? now : nil
    }
}
