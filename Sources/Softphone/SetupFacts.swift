import AudioUnits
import Codecs
import Glibc
import Link
import LiveMedia
import Media
import Network
import Reporting

/// What a call asked for and what it was granted, under the same names: for its report and for the log.
struct SetupFacts {
    /// Stands for a choice that was left to the device.
    static let unasked = "any"

    var requested: [String: String]
    var effective: [String: String]

    /// - Parameters:
    ///   - codec: of the party whose facts these are.
    ///   - granted: by device, unit and system.
    init(_ media: MediaRequest, _ codec: Codec, granted: [String: String]) {
        requested = media.requested
        requested["codec"] = codec.name
        effective = granted
        effective["codec"] = codec.name
    }

    /// One line for each fact; what was asked for in vain is worth a notice.
    func log() {
        for (name, value) in effective.sorted(by: { $0.key < $1.key }) {
            let wanted = requested[name] ?? Self.unasked
            if wanted == value || wanted == Self.unasked {
                logger.debug("\(name) \(value)")
            } else {
                logger.notice("\(name) \(value), asked for \(wanted)")
            }
        }
    }
}

extension MediaRequest {
    /// What was asked for.
    fileprivate var requested: [String: String] {
        var wanted = [
            "echo_control": String(voiceProcessing),
            "rate_hz": device.sampleRate.map(String.init) ?? SetupFacts.unasked,
            "period_ms": device.periodMilliseconds.map { Text.fixed($0, 1) } ?? SetupFacts.unasked,
            "device": device.input == device.output ? device.input.name : "\(device.input.name), \(device.output.name)",
            "realtime_priority": device.realtime ? String(CallSession.devicePriority) : "none",
            "media_priority": device.realtime ? String(CallSession.mediaPriority) : "none",
        ]
        if voiceProcessing {
            wanted["echo_canceller"] = device.voice.canceller.name.rawValue
            wanted["quality"] = device.voice.quality.rawValue
        }
        return wanted
    }

    /// The network's and the codec's side of a call, to the log.
    func logPlan(_ configuration: CallConfiguration, _ socket: UDPLink) {
        let remote = socket.peer.map { "\($0.media)" } ?? "whoever calls"
        let rtcp = socket.peer.flatMap { $0.control == $0.media ? nil : $0.control }
        let control = rtcp.map { ", RTCP to \($0)" } ?? ""
        let networks = allow.isEmpty ? "" : ", allowed \(allow.map { "\($0)" }.joined(separator: " "))"
        logger.debug("network \(socket.local) to \(remote)\(control)\(networks)")
        let (codec, encoder) = (configuration.codec, configuration.encoder)
        let coding = codec.bitrate == .adjustable ? ", \(encoder.bitrate) bit/s, complexity \(encoder.complexity)" : ""
        logger.debug(
            """
            codec \(codec.name), payload type \(configuration.payloadType), \(codec.sampleRate) Hz, \
            \(encoder.frameMilliseconds) ms a packet\(coding), digits as payload type \
            \(configuration.telephoneEventPayloadType)
            """)
        logger.debug("jitter buffer \(latency.rawValue), seed \(configuration.seed)")
    }
}

extension CallSession {
    /// What device, unit and system granted.
    package var granted: [String: String] {
        var facts: [String: String] = ["device": unit.device.identifier]
        if let format = try? unit.format(scope: .input, element: Element.input) {
            facts["rate_hz"] = String(Int(format.sampleRate))
        }
        if let period = unit.statistics.periodMicroseconds { facts["period_ms"] = Text.fixed(period / 1000, 1) }
        let processing = unit as? VoiceProcessingIO
        facts["echo_control"] = processing.map { String($0.echoCancellation) } ?? "false"
        facts["echo_canceller"] = processing?.configuration.canceller.name.rawValue
        facts["quality"] = processing?.configuration.quality.rawValue
        let priority = if case .realtime(let priority) = mediaPolicy { String(priority) } else { "none" }
        facts["media_priority"] = priority
        // A device without a thread is moved by that of the media.
        facts["realtime_priority"] =
            sharesThread ? priority : unit.device.status.realtimePriority.map(String.init) ?? "none"
        if let target = unit.device.status.playbackTargetMilliseconds {
            facts["playback_target_ms"] = Text.fixed(target, 1)
        }
        return facts
    }
}

extension LinkStatistics {
    /// What only the socket knows of a call that is over, to the log.
    func log() {
        logger.debug("network sent \(sent) packets (\(sentOctets) octets), received \(received) (\(receivedOctets))")
        if icmpErrors > 0 { logger.debug("network reported \(icmpErrors) ICMP errors: nobody listens, or no way") }
        if sendFailures > 0 {
            let reason = lastSendError.map { String(cString: strerror($0)) } ?? "unknown"
            logger.warning("\(sendFailures) packets could not be sent, last because: \(reason); check the route")
        }
    }
}
