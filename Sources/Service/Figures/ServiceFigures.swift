import Link
import LiveMedia
import Media
import Reporting
import Signalling

/// The service's figures as Prometheus reads them: text format 0.0.4, base units, every counter there at zero. docs/metrics.md names
/// each, held by a test.
package enum ServiceFigures {
    package static func text(_ service: ServiceCore) -> String { families(service).map(\.text).joined() }

    package static func families(_ service: ServiceCore) -> [MetricFamily] {
        let figures = service.calls.counters.figures
        return calls(service, figures) + loops(service.loops()) + setup(figures) + sound(figures) + network(figures)
            + accounts(service)
            + events(service) + process(service)
    }

    private static func calls(_ service: ServiceCore, _ figures: CallFigures) -> [MetricFamily] {
        let records = service.calls.records
        let states: [CallRecord.State] = [.calling, .ringing, .active, .held]
        return [
            MetricFamily(
                "calls", .gauge, "Calls there are, by direction and state.", labels: ["direction", "state"],
                CallRecord.Direction.allCases.flatMap { direction in
                    states.map { state in
                        let count = records.count { $0.direction == direction && $0.state == state }
                        return ([direction.rawValue, state.rawValue], Double(count))
                    }
                }),
            MetricFamily(
                "calls_total", .counter, "Calls since the start, by direction.", labels: ["direction"],
                CallRecord.Direction.allCases.map { ([$0.rawValue], Double(service.calls.counters.began($0))) }),
            MetricFamily(
                "call_ends_total", .counter, "Calls that ended since the start, by the reason.", labels: ["reason"],
                Media.EndReason.allCases.map { ([$0.rawValue], Double(service.calls.counters.ended($0))) }),
            MetricFamily(
                "refused_calls_total", .counter, "Calls that found no place since the start, by the reason.",
                labels: ["reason"],
                CallCounters.Refusal.allCases.map { ([$0.rawValue], Double(service.calls.counters.refused($0))) }),
            MetricFamily(
                "admission_headroom", .gauge, "Calls that would be let in now beside those there are.",
                [([], Double(service.calls.headroom))]),
            MetricFamily(
                "session_outcomes_total", .counter,
                "Attempts to set up a call by SIP, by what came of them: what SER, SEER and ISA of RFC 6076 sections 4.6 to 4.8 are "
                    + "made of.", labels: ["direction", "outcome"],
                CallRecord.Direction.allCases.flatMap { direction in
                    CallOutcome.allCases.map { outcome in
                        ([direction.rawValue, outcome.rawValue], Double(figures.outcomes[direction]?[outcome] ?? 0))
                    }
                }),
            MetricFamily(
                "call_seconds_total", .counter, "Seconds of calls with media; each call tells its figures once a second.",
                [([], Double(figures.seconds))]),
            MetricFamily(
                "session_duration_seconds", "How long answered calls lasted: SDT of RFC 6076 section 4.5.",
                [("", figures.duration)]),
        ]
    }

    private static func loops(_ figures: SessionLoopFigures) -> [MetricFamily] {
        let lateness = [
            ("50", figures.loop.latenessMedian), ("99", figures.loop.lateness99), ("100", figures.loop.latenessMaximum),
        ]
        func gauge(_ name: String, _ help: String, _ value: Double) -> MetricFamily {
            MetricFamily(name, .gauge, help, [([], value)])
        }
        return [
            gauge("loop_threads", "Threads that calls without a device share.", Double(figures.threads)),
            gauge("loop_sessions", "Calls, bridges and conferences without a device.", Double(figures.sessions)),
            MetricFamily(
                "loop_lateness_seconds", .gauge,
                "How late the turns of the worst thread ended in the last second, by the percentage of turns that were no later.",
                labels: ["percentile"], lateness.map { ([$0.0], ($0.1 ?? 0) / 1000) }),
            gauge("loop_load_ratio", "Share of the last second in which the busiest thread had work.", figures.loop.load),
            gauge("loop_processor_ratio", "What these threads used of the processors, in cores.", figures.processorShare),
            MetricFamily(
                "loop_stage_ratio", .gauge, "What the time of these threads went into, in cores.", labels: ["stage"],
                PortStage.ofSessions.map { ([$0.name], figures.stages[$0] ?? 0) }),
            MetricFamily(
                "loop_relief", .gauge, "1 for what the worst thread gives up for want of time, else 0.", labels: ["level"],
                LoadRelief.Level.allCases.map { ([$0.name], $0 == figures.loop.relief ? 1 : 0) }),
        ]
    }

    private static func setup(_ figures: CallFigures) -> [MetricFamily] {
        [
            MetricFamily(
                "session_request_delay_seconds",
                "From the call to the first sign of the other side: SRD of RFC 6076 sections 4.3.1 (answered) and 4.3.2 (failed).",
                label: "outcome", figures.requestDelay.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
            MetricFamily(
                "call_answer_delay_seconds", "From the call to its answer.", [("", figures.answerDelay)]),
            MetricFamily(
                "ice_setup_seconds", "From the other side's description to the first pair of addresses that carried media.",
                [("", figures.iceSetup)]),
            MetricFamily(
                "dtls_setup_seconds", "The handshake that agreed on the keys of a call's media.", [("", figures.dtlsSetup)]),
        ]
    }

    private static func sound(_ figures: CallFigures) -> [MetricFamily] {
        func count(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
            MetricFamily(name, .counter, help, [([], Double(value))])
        }
        return [
            MetricFamily(
                "mouth_to_ear_seconds",
                "From the other side's microphone to our loudspeaker, each second of each call whose other side tells its part.",
                [("", figures.mouthToEar)]),
            MetricFamily(
                "local_delay_seconds",
                "Our own part of the delay: microphone to socket and socket to loudspeaker, each second of each call.",
                [("", figures.localDelay)]),
            MetricFamily(
                "delay_stage_seconds", "One stage of the delay from mouth to ear, each second of each call where it tells.",
                label: "stage", DelayStage.allCases.map { ($0.rawValue, figures.stages[$0] ?? Histogram([])) }),
            MetricFamily(
                "gaps_total", .counter, "Times nothing of the other side was heard for more than 60 ms, by the cause.",
                labels: ["cause"], GapCause.allCases.map { ([$0.rawValue], Double(figures.gaps[$0] ?? 0)) }),
            MetricFamily(
                "concealed_seconds_total", .counter,
                "Sound that was made up because packets were missing: short where the gap was 60 ms at most, else long.",
                labels: ["length"],
                CallFigures.concealments.map { ([$0.0], figures.concealedSeconds[$0.0] ?? 0) }),
            MetricFamily(
                "listening_quality_mos", "Listening quality (MOS-LQ of ITU-T P.800.1), 1 to 5, each second of each call.",
                [("", figures.quality)]),
            MetricFamily(
                "xruns_total", .counter, "Over- and underruns of audio devices.", labels: ["direction"],
                ["capture", "playback"].map { ([$0], Double(figures.xruns[$0] ?? 0)) }),
            MetricFamily(
                "echo_calls", .gauge, "Calls there are, by the state of their echo control.", labels: ["state"],
                EchoControlState.allCases.map { ([$0.rawValue], Double(figures.calls(withEcho: $0))) }),
            count(
                "echo_audible_seconds_total", "Seconds in which the other side heard itself.", figures.echoAudibleSeconds),
            count(
                "echo_realignments_total", "Times that echo control had to find the delay anew.", figures.echoRealignments),
            MetricFamily(
                "echo_return_loss_enhancement_decibels", "How much echo control takes off (ERLE of ITU-T G.168), each second.",
                [("", figures.echoLoss)]),
        ]
    }

    private static func network(_ figures: CallFigures) -> [MetricFamily] {
        [
            MetricFamily(
                "packets_total", .counter, "RTP packets of calls, by what became of them.", labels: ["fate"],
                CallFigures.packetCounts.map { ([$0.name], Double(figures.packets[$0.name] ?? 0)) }),
            MetricFamily(
                "packets_dropped_total", .counter, "Datagrams that no call took, by the reason.", labels: ["reason"],
                LinkDropReason.allCases.map { ([$0.rawValue], Double(figures.drops[$0.rawValue] ?? 0)) }),
            MetricFamily(
                "jitter_seconds", "Interarrival jitter (RFC 3550 appendix A.8), each second of each call.",
                [("", figures.jitter)]),
            MetricFamily(
                "round_trip_seconds", "Round trip by RTCP (RFC 3550 section 6.4.1), each second of each call.",
                [("", figures.roundTrip)]),
        ]
    }

    private static func accounts(_ service: ServiceCore) -> [MetricFamily] {
        let accounts = service.accounts.all
        return [
            MetricFamily(
                "accounts", .gauge, "Accounts by their state at the registrar.", labels: ["state"],
                AccountBook.states.map { state in ([state], Double(accounts.count { $0.state == state })) }),
            MetricFamily(
                "account_registered", .gauge, "1 where the account is registered, else 0.", labels: ["account"],
                accounts.map { ([$0.name], $0.state == "registered" ? 1 : 0) }),
            MetricFamily(
                "account_messages_waiting", .gauge,
                "New voice messages at the account's server, where that tells (RFC 3842); 1 where it does not count them.",
                labels: ["account"],
                accounts.compactMap { account in
                    account.messages.map { ([account.name], $0.isWaiting ? Double(max(1, $0.new ?? 1)) : 0) }
                }),
            MetricFamily(
                "registrations_total", .counter, "Outcomes of registering that were told since the start, by state.",
                labels: ["state"],
                AccountBook.states.dropFirst().map { ([$0], Double(service.accounts.told($0))) }),
            MetricFamily(
                "signalling_dropped_total", .counter, "What came by SIP and was dropped, by the reason.", labels: ["reason"],
                SignallingDrops.Reason.allCases.map { ([$0.rawValue], Double(service.drops[$0])) }),
        ]
    }

    private static func events(_ service: ServiceCore) -> [MetricFamily] {
        [
            MetricFamily(
                "event_subscribers", .gauge, "Streams of events that are open.", [([], Double(service.subscribers))]),
            MetricFamily(
                "events_total", .counter, "Events told since the start.", [([], Double(service.spool.published))]),
            MetricFamily(
                "event_losses_total", .counter,
                "Events that subscribers lost because they read too slowly or came back too late.",
                [([], Double(service.spool.lostTotal))]),
        ] + webhooks(service)
    }

    private static func webhooks(_ service: ServiceCore) -> [MetricFamily] {
        let figures = service.webhooks.figures
        return [
            MetricFamily(
                "webhook_events_total", .counter, "Events that webhooks were to get, by what became of them.", labels: ["fate"],
                [(["delivered"], Double(figures.delivered)), (["dropped"], Double(figures.dropped))]),
            MetricFamily(
                "webhook_failures_total", .counter, "Tries to deliver an event to a webhook that failed.",
                [([], Double(figures.failed))]),
            MetricFamily(
                "webhook_events_waiting", .gauge, "Events that wait for their webhooks.",
                [([], Double(service.webhooks.waiting))]),
        ]
    }

    private static func process(_ service: ServiceCore) -> [MetricFamily] {
        func gauge(_ name: String, _ help: String, _ value: Double) -> MetricFamily {
            MetricFamily(name, .gauge, help, [([], value)])
        }
        return [
            gauge(
                "draining", "1 while the service ends and takes no new calls, else 0.", service.calls.isDraining ? 1 : 0),
            gauge(
                "start_time_seconds", "When the service started, in seconds since 1970.",
                Double(service.started.millisecondsSince1970) / 1000),
            MetricFamily(
                "process_cpu_seconds_total", .counter, "Time of the process on the processor.",
                [([], ProcessFigures.cpuSeconds)]),
            gauge(
                "process_resident_memory_bytes", "Memory that the process has in use.", Double(ProcessFigures.residentBytes)),
            gauge("process_open_fds", "Descriptors that the process has open.", Double(ProcessFigures.openDescriptors)),
            gauge("process_threads", "Threads of the process.", Double(ProcessFigures.threads)),
            MetricFamily(
                "machine_stalled_seconds_total", .counter,
                "How long something runnable on the machine waited for a processor, as the kernel counts it; 0 where it does not.",
                [([], ProcessFigures.stalledSeconds)]),
        ]
    }
}
