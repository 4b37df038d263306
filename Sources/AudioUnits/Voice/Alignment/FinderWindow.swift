/// Chooses which stretch of the reference the delay finder holds against the microphone, so that its 540 ms cover the echo.
///
/// Lag 0 is put up to 100 ms ahead of what the time stamps say is heard now, as far as that has been rendered: stamps that
/// are wrong by that much to one side, and by 400 ms to the other, do no harm. Drift moves the echo through the window; it
/// is put anew before the echo leaves it. The finder begins anew each time, the reference stays where it is.
package struct FinderWindow: BitwiseCopyable {
    /// What a block calls for.
    package enum Verdict: BitwiseCopyable, Equatable {
        /// Nothing has been rendered for this moment yet.
        case wait
        case hold
        /// The window was put elsewhere.
        case shifted
        /// Even the delay that is held lies far outside of what the stamps allow: the streams have jumped.
        case lost
    }

    /// Reference index at lag 0 minus microphone index; nil until chosen.
    package private(set) var offset: Int64?
    private let rate: Double
    private let tuning: FinderWindowTuning
    private var seconds = 0.0

    @_noLocks
    package init(rate: Double, tuning: FinderWindowTuning = FinderWindowTuning()) {
        self.rate = rate
        self.tuning = tuning
    }

    /// Looks at a block; parameters as for `StampedPlacement`, and `echo`, the index of the reference sample whose echo
    /// begins the block, once that is known.
    @_noLocks
    package mutating func look(
        now: Int64, written: Int64, position: Int64, count: Int, wasStarved: Bool, echo: Int64?
    ) -> Verdict {
        // Half of what has been rendered ahead stays in reserve for the playback thread's unevenness.
        let ready = written &- Int64(count)
        let latest = now < ready ? now &+ (ready &- now) / 2 : ready
        guard let held = offset else {
            guard now >= 0, ready >= 0 else { return .wait }
            offset = min(now &+ Int64(tuning.guardTime * rate), latest) &- position
            return .shifted
        }
        let ahead = Double(position &+ held &- now) / rate
        let isLost = ahead < -tuning.lostBefore || ahead > tuning.lostAfter
        var target = min(now &+ Int64(tuning.guardTime * rate), latest)
        var isOff = isLost
        if let echo, !isLost {
            let lag = Double(position &+ held &- echo) / rate
            target = min(echo &+ Int64(tuning.restingLag * rate), latest)
            isOff = lag > tuning.mostLag || lag < tuning.leastLag
        } else {
            isOff = isOff || ahead < -tuning.offBefore || ahead > tuning.offAfter
        }
        let gain = Double((target &- position &- held).magnitude) / rate
        let isStarving = wasStarved && target &- position < held
        seconds = isStarving || (isOff && gain > tuning.leastMove) ? seconds + Double(count) / rate : 0
        guard seconds > tuning.patience else { return .hold }
        seconds = 0
        offset = target &- position
        return isLost && echo != nil ? .lost : .shifted
    }
}
