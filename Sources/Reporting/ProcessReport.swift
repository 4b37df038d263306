import Metrics

/// What `yodel process` found: the voice-processing unit on two files.
public struct ProcessReport: ReportObject, Equatable {
    /// Processor time of the whole unit for 20 ms of both signals, microseconds.
    public var cpuMicroseconds: Double?
    /// Length of the microphone's signal, s.
    public var durationSeconds: Double?
    /// Rate of the signals, Hz.
    public var sampleRate: Int?
    /// The canceller and the quality that were chosen.
    public var echoCanceller: String?
    public var quality: String?
    /// What the unit adds from microphone to output, ms.
    public var latencyMilliseconds: Double?
    /// Until the echo canceller had found the room, s; `nil` if it never did.
    public var convergenceSeconds: Double?
    /// RMS level of the microphone's signal.
    public var levelInDBov: Double?
    /// RMS level of the output.
    public var levelOutDBov: Double?
    /// Echo control at the end.
    public var echo: EchoFigures?

    public init() {}

    public static let fields: [ReportField<ProcessReport>] = [
        .number("cpu_us_per_20ms", decimals: 1) { $0.cpuMicroseconds },
        .number("duration_s", decimals: 2) { $0.durationSeconds },
        .count("rate") { $0.sampleRate },
        .text("echo_canceller") { $0.echoCanceller },
        .text("quality") { $0.quality },
        .number("latency_ms", decimals: 2) { $0.latencyMilliseconds },
        .number("convergence_s", decimals: 2) { $0.convergenceSeconds },
        .number("level_in_dbov", decimals: 1) { $0.levelInDBov },
        .number("level_out_dbov", decimals: 1) { $0.levelOutDBov },
        .object("echo") { $0.echo },
    ]
}
