extension Event {
    /// The event as one plain line; `nil` for figures and reports, which have texts of their own.
    public var text: String? {
        switch body {
        case .callStarted(let remote, let local, let codec, let device):
            return "call started: \(local) to \(remote ?? "whoever calls"), \(codec), device \(device)"
        case .mediaStarted(let remote, let after):
            return "media started: hearing \(remote) after \(Text.fixed(after, 0)) ms"
        case .stats, .report, .loopbackReport: return nil
        case .routeChanged(let direction, let from, let to, let reason):
            let why = reason.split(separator: "_").joined(separator: " ")
            let origin = from.map { "moved from \($0) " } ?? ""
            return "\(direction.rawValue) \(origin)to \(to ?? "nowhere") (\(why))"
        case .deviceLost(let device, let reason):
            return "device \(device) lost: \(reason); the call goes on, it is tried again"
        case .deviceBack(let device, let after): return "device \(device) back after \(Text.fixed(after / 1000, 1)) s"
        case .ssrcChanged(let from, let to):
            return "the other side began a new stream (SSRC \(hexadecimal(from)) to \(hexadecimal(to)))"
        case .remoteChanged(let from, let to):
            return to.map { "the other side moved from \(from) to \($0)" }
                ?? "\(from) sent a few packets and fell silent; waiting for a caller again"
        case .bufferReset(let reason): return "jitter buffer began anew: \(reason)"
        case .xrun(let direction, let count): return "xrun of \(direction.rawValue), \(count) so far"
        case .echoState(let echo):
            if echo.noEchoPath == true { return "no echo path found: the other side's voice does not come back" }
            let depth = echo.erleDecibels.map { ", \(Text.fixed($0, 0)) dB less" } ?? ""
            return echo.converged == true ? "echo gone\(depth)" : "echo canceller is learning the room"
        case .dtmf(let digit, let direction): return "digit \(digit) \(direction.rawValue)"
        case .warning(let message): return "warning: \(message)"
        case .callEnded(let reason, let seconds, let sipCode, let explanation):
            let words = [sipCode.map(String.init), explanation].compactMap(\.self).joined(separator: " ")
            return "call ended: \(reason)" + (words.isEmpty ? "" : " (\(words))")
                + (seconds.map { " after \(Text.clock($0))" } ?? "")
        case .callIncoming(let from, let name, let to, _):
            return "call from \(name.map { "\($0) " } ?? "")<\(from)> to <\(to)>: a answers, q refuses"
        case .callProgress(let sipCode, let reason, let earlyMedia):
            return "\(sipCode) \(reason)" + (earlyMedia ? ", with sound" : "")
        case .callAnswered: return "answered"
        case .negotiated(let report): return report.text
        case .secured(let suite, _, let fingerprint):
            return "encrypted by \(suite)" + (fingerprint.map { ", the other side's certificate \($0)" } ?? "")
        case .callHeld(let byUs, let byPeer):
            return "held by " + (byUs && byPeer ? "both sides" : byUs ? "us" : "the other side")
        case .callResumed: return "resumed"
        case .message(let from, let name, _, let text): return "text from \(name.map { "\($0) " } ?? "")<\(from)>: \(text)"
        case .messagesWaiting(let account, let isWaiting, let new, _):
            return isWaiting
                ? "\(new.map(String.init) ?? "new") voice messages for \(account)" : "no new voice messages for \(account)"
        case .registration(let report): return report.text
        }
    }

    private func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
}
