import AudioUnits
import Glibc
import Realtime
import Reporting

extension CallStatistics {
    /// How the render threads keep their time: measured on the real clock, so not in a simulation.
    public mutating func fillRenderTurns(from unit: any InputOutputUnit) {
        let counted = unit.statistics
        render.maximumMicroseconds = counted.longestTurnMicroseconds
        render.periodMicroseconds = counted.periodMicroseconds
    }

    /// What the I/O unit and its device say of themselves.
    public mutating func fill(from unit: any InputOutputUnit) {
        let device = unit.device.status
        xruns = XrunFigures(capture: device.captureXruns, playback: device.playbackXruns)
        guard let voice = unit as? VoiceProcessingIO, voice.echoCancellation, !voice.isBypassed else { return }
        let state = voice.echoState
        var figures = EchoFigures()
        // Before the far end has spoken there was no echo to remove: that is not known, rather than false.
        figures.converged = state.erleDB == nil ? nil : state.converged
        figures.erleDecibels = state.erleDB
        figures.delayMilliseconds = state.delayMs
        figures.driftPPM = state.driftPPM
        figures.realignCount = state.realignCount
        figures.doubleTalk = state.doubleTalk
        echo = figures
    }
}

/// What the process costs: processor time a minute and memory, since the usage was first looked at.
public struct ProcessUsage: Sendable {
    private var start: (time: HostTime, cpuSeconds: Double)?

    public init() {}

    /// Writes both figures; the first call begins the measurement.
    public mutating func fill(_ figures: inout CallStatistics, now: HostTime) {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        figures.peakRSSMebibytes = Double(usage.ru_maxrss) / 1024
        guard let start else {
            start = (now, cpu)
            return
        }
        let minutes = now.milliseconds(since: start.time) / 60_000
        if minutes > 0 { figures.cpuSecondsPerMinute = (cpu - start.cpuSeconds) / minutes }
    }
}
