import Realtime

/// How a loop keeps up with the many calls that it steps, and what follows from it: one rule for the calls of a port (`PortTurns`) and
/// for sessions without a device (`SessionRounds`). Sans-I/O.
public struct LoopLoad: Sendable {
    private var admission = Admission()
    private var relief = LoadRelief()
    private var lateness = LatenessMeter()
    private var calls = 0
    /// When the work before was done.
    private var lastEnd = HostTime.zero

    public init() {}

    /// Whether somebody new is let in, besides those who were there when it was last noted.
    public var admits: Bool { admits(besides: calls) }
    /// Whether somebody new is let in.
    /// - Parameter calls: those who are there by now.
    public func admits(besides calls: Int) -> Bool { admission.admits && calls < admission.mostCalls }
    /// Greatest complexity of encoders of calls that begin now.
    public var complexityOfNew: Int { relief.complexityOfNew }
    /// Greatest complexity of encoders of calls that run.
    public var complexityOfRunning: Int { relief.complexityOfRunning }

    /// The work of a turn is done.
    /// - Parameters:
    ///   - due: when it was due.
    ///   - ended: when it was done.
    public mutating func noteTurn(dueAt due: HostTime, endedAt ended: HostTime) {
        let late = ended.milliseconds(since: due)
        lateness.add(late)
        admission.note(lateMilliseconds: late, at: ended)
    }

    /// A turn was due in which nobody was to be served: it was in time, whenever somebody looked.
    /// - Parameter now: when somebody looked.
    public mutating func noteIdleTurn(at now: HostTime) { admission.note(lateMilliseconds: 0, at: now) }

    /// All that was due is done. Time in which it waited for a core, which others had, is not there for more calls either.
    /// - Parameters:
    ///   - due: when it was due; nil: nothing was, and something came.
    ///   - began: when the work began.
    ///   - ended: when it was done.
    ///   - calls: those there are.
    ///   - joining: what was spent on those who came, in milliseconds.
    /// - Returns: whether encoders are to work with another complexity from now on.
    public mutating func noteWork(
        dueAt due: HostTime?, from began: HostTime, to ended: HostTime, calls: Int, joining: Double = 0
    ) -> Bool {
        self.calls = calls
        let start = max(lastEnd, min(began, due ?? began))
        lastEnd = ended
        admission.note(busyMilliseconds: ended.milliseconds(since: start), joining: joining, calls: calls, at: ended)
        return relief.note(load: admission.load, at: ended)
    }

    /// The process used processor time, of which it may not have all that there is.
    /// - Parameters:
    ///   - share: of what it may use in that time.
    ///   - milliseconds: how long that was.
    ///   - now: when it ended.
    public mutating func noteProcessor(share: Double, milliseconds: Double, at now: HostTime) {
        admission.note(processorMilliseconds: share * milliseconds, at: now)
    }

    /// How it kept up since the last time; lateness is counted anew.
    public mutating func takeFigures() -> LoopFigures {
        defer { lateness.reset() }
        var figures = LoopFigures()
        figures.latenessMedian = lateness.quantile(0.5)
        figures.lateness99 = lateness.quantile(0.99)
        figures.latenessMaximum = lateness.count > 0 ? lateness.maximum : nil
        (figures.load, figures.relief, figures.admits) = (admission.load, relief.level, admits)
        return figures
    }
}

/// How a loop of many calls kept up in the last second, or the worst of several.
public struct LoopFigures: Sendable, Equatable {
    /// How late turns ended after they were due, milliseconds: the median; `nil` before there were any.
    public var latenessMedian: Double?
    /// How late 99 of 100 of them ended at most, milliseconds.
    public var lateness99: Double?
    /// How late the latest of them ended, milliseconds.
    public var latenessMaximum: Double?
    /// Share of the time in which there was work, 0...1.
    public var load = 0.0
    /// What is given up for want of time.
    public var relief = LoadRelief.Level.none
    /// Whether somebody new is let in.
    public var admits = true

    public init() {}

    /// Has the worse of its own and another one's.
    public mutating func add(_ other: LoopFigures) {
        latenessMedian = [latenessMedian, other.latenessMedian].compactMap(\.self).max()
        lateness99 = [lateness99, other.lateness99].compactMap(\.self).max()
        latenessMaximum = [latenessMaximum, other.latenessMaximum].compactMap(\.self).max()
        load = max(load, other.load)
        relief = max(relief, other.relief)
        admits = admits && other.admits
    }
}
