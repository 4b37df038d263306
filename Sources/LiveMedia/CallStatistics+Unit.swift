import AudioUnits
import Glibc
import Metrics
import Realtime

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
        xruns = XrunFigures(
            capture: device.captureXruns, playback: device.playbackXruns,
            silentMilliseconds: device.playbackSilentMilliseconds)
        machine = device.machine.map {
            MachineFigures(
                stops: $0.stops, longestMilliseconds: $0.longestMilliseconds, lateP99Milliseconds: $0.lateness99,
                reserveMilliseconds: $0.reserveMilliseconds)
        }
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
        figures.referenceSilent = state.referenceIsSilent
        figures.microphoneSilent = state.microphoneIsSilent
        figures.microphoneClipping = state.microphoneIsClipping
        figures.noEchoPath = state.hasNoEchoPath
        figures.echoAudible = state.echoIsAudible
        echo = figures
    }
}

/// What the process costs: processor time a minute and memory, since the usage was first looked at.
public struct ProcessUsage: Sendable {
    /// Milliseconds between two looks at the memory, which cost a file of the kernel's.
    private static let memoryMilliseconds = 2000.0

    private var start: (time: HostTime, cpuSeconds: Double)?
    private var memory: (time: HostTime, peakMebibytes: Double)?

    public init() {}

    /// Writes both figures; the first call begins the measurement.
    public mutating func fill(_ figures: inout CallStatistics, now: HostTime) {
        if memory.map({ now.milliseconds(since: $0.time) >= Self.memoryMilliseconds }) ?? true,
            let peak = Self.peakMebibytes()
        {
            memory = (now, peak)
        }
        figures.peakRSSMebibytes = memory?.peakMebibytes
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        guard let start else {
            start = (now, cpu)
            return
        }
        let minutes = now.milliseconds(since: start.time) / 60_000
        if minutes > 0 { figures.cpuSecondsPerMinute = (cpu - start.cpuSeconds) / minutes }
    }

    /// `VmHWM`: getrusage's own figure is inherited from whoever started the program.
    private static func peakMebibytes() -> Double? {
        guard let file = fopen("/proc/self/status", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("VmHWM:") else { continue }
            return text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }.map { $0 / 1024 }
        }
        return nil
    }
}
