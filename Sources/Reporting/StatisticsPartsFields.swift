import Metrics

// The names of the parts of the statistics, in print order. Scripts depend on them: add, never rename.

extension EchoFigures: ReportObject {
    public static let fields: [ReportField<EchoFigures>] = [
        .flag("converged") { $0.converged },
        .number("erle_db", decimals: 1) { $0.erleDecibels },
        .number("delay_ms", decimals: 1) { $0.delayMilliseconds },
        .number("drift_ppm", decimals: 1) { $0.driftPPM },
        .count("realign_count") { $0.realignCount },
        .flag("double_talk") { $0.doubleTalk },
        .flag("reference_silent") { $0.referenceSilent },
        .flag("microphone_silent") { $0.microphoneSilent },
        .flag("microphone_clipping") { $0.microphoneClipping },
        .flag("no_echo_path") { $0.noEchoPath },
        .flag("echo_audible") { $0.echoAudible },
    ]
}

extension XrunFigures: ReportObject {
    public static let fields: [ReportField<XrunFigures>] = [
        .count("capture") { $0.capture },
        .count("playback") { $0.playback },
        .number("silent_ms", decimals: 1) { $0.silentMilliseconds },
    ]
}

extension GapFigures: ReportObject {
    public static let fields: [ReportField<GapFigures>] = [
        .object("machine") { $0.machine },
        .object("network") { $0.network },
        .object("sender") { $0.sender },
    ]
}

extension GapSum: ReportObject {
    public static let fields: [ReportField<GapSum>] = [
        .count("count") { $0.count },
        .count("long") { $0.long },
        .number("ms", decimals: 1) { $0.milliseconds },
    ]
}

extension RenderFigures: ReportObject {
    public static let fields: [ReportField<RenderFigures>] = [
        .count("allocations", orNull: true) { $0.allocations },
        .count("locks", orNull: true) { $0.locks },
        .number("max_us", decimals: 0, orNull: true) { $0.maximumMicroseconds },
        .number("period_us", decimals: 0, orNull: true) { $0.periodMicroseconds },
    ]
}

extension MachineFigures: ReportObject {
    public static let fields: [ReportField<MachineFigures>] = [
        .count("stops") { $0.stops },
        .number("longest_ms", decimals: 1) { $0.longestMilliseconds },
        .number("late_p99_ms", decimals: 1) { $0.lateP99Milliseconds },
        .number("reserve_ms", decimals: 1) { $0.reserveMilliseconds },
    ]
}

extension SRTPFigures: ReportObject {
    public static let fields: [ReportField<SRTPFigures>] = [
        .text("suite") { $0.suite },
        .count("replayed") { $0.replayed },
        .count("failed") { $0.failed },
    ]
}

extension SetupFigures: ReportObject {
    public static let fields: [ReportField<SetupFigures>] = [
        .number("ice_ms", decimals: 1) { $0.iceMilliseconds },
        .number("dtls_ms", decimals: 1) { $0.dtlsMilliseconds },
        .text("pair") { $0.pair },
        .text("pair_local") { $0.pairLocal },
        .text("pair_remote") { $0.pairRemote },
        .number("pair_round_trip_ms", decimals: 1) { $0.pairRoundTripMilliseconds },
    ]
}

extension SideFigures: ReportObject {
    public static let fields: [ReportField<SideFigures>] = [
        .count("packets_lost") { $0.packetsLost },
        .number("lost_ratio", decimals: 5) { $0.lostRatio },
        .number("late_ratio", decimals: 5) { $0.lateRatio },
        .number("jitter_ms", decimals: 2) { $0.jitterMilliseconds },
        .number("round_trip_ms", decimals: 2) { $0.roundTripMilliseconds },
        .number("send_delay_ms", decimals: 2) { $0.sendDelayMilliseconds },
        .number("receive_delay_ms", decimals: 2) { $0.receiveDelayMilliseconds },
        .count("machine_stops") { $0.machineStops },
        .number("machine_longest_ms", decimals: 1) { $0.machineLongestMilliseconds },
        .number("machine_stopped_ms", decimals: 0) { $0.machineStoppedMilliseconds },
        .number("jitter_buffer_ms", decimals: 0) { $0.jitterBufferMilliseconds },
        .number("r_factor", decimals: 1) { $0.rFactor },
        .number("mos_lq", decimals: 2) { $0.mosLQ },
        .number("mos_cq", decimals: 2) { $0.mosCQ },
    ]
}
