import Codecs
import JitterBuffer
import LiveMedia
import Media
import PacketCapture
import RTP
import Realtime

/// A capture of ours without what was said in it: payloads are blanked, digits are zeros, all else stays as it is.
///
/// How much is stretched, and where sounds are joined, hangs on the sound. So the capture is played once, and what its sound decided goes
/// into the blanked one: a replay of that has the same figures.
public enum CaptureBlanking {
    /// The writer holds no more than a megabyte.
    private static let eventsAtOnce = 500

    /// Writes the blanked capture.
    /// - Parameters:
    ///   - source: a capture of ours.
    ///   - destination: where the blanked one goes.
    /// - Throws: where the one cannot be read, is none of ours, or the other cannot be written. A source that breaks off is blanked up to
    ///   there.
    public static func write(_ source: String, to destination: String) throws(CaptureError) {
        let reader = try CaptureReader(path: source)
        guard var call = CallConfiguration(captureSettings: reader.settings, seed: 1) else {
            throw .unreadable(path: source, reason: "it does not say what its call was made of")
        }
        let decisions = SoundDecisions()
        call.jitterBuffer.decisions = decisions
        var limits = ReplayLimits()
        limits.keepsSound = false
        let replay = try? CaptureReplay(
            try CaptureReader(path: source), ssrc: nil, configuration: call, limits: limits)
        // What breaks off has been played up to there.
        try? replay?.run()

        let epoch = reader.settings["epoch_ns"].flatMap { Int64($0) } ?? 0
        var settings = reader.settings
        settings[SoundOfCapture.key] = SoundOfCapture.blanked
        let writer = try CaptureWriter(path: destination, settings: settings, epochNanoseconds: epoch)
        for part in decisions.parts() {
            writer.add(change: SoundOfCapture.key + "=" + part, time: .zero)
            try writer.flush()
        }
        var payloads = PayloadBlanking(call.stream)
        var count = 0
        while let event = try? reader.next() {
            payloads.blank(event, into: writer)
            count += 1
            if count % Self.eventsAtOnce == 0 { try writer.flush() }
        }
        try writer.finish()
    }
}

/// What a blanked capture has in place of the sound.
enum SoundOfCapture {
    /// Of the setting, and of each change that holds a part of `SoundDecisions`.
    static let key = "sound"
    /// The setting's value.
    static let blanked = "blanked"

    /// A part of the decisions, out of a change; `nil`: it is about something else.
    /// - Parameter text: of the change.
    static func part(_ text: String) -> String? {
        text.hasPrefix(key + "=") ? String(text.dropFirst(key.utf8.count + 1)) : nil
    }
}

/// Which payload types carry what, while a capture goes by.
private struct PayloadBlanking {
    private var formats: [MediaFormat]
    private let redundancy: [UInt8]

    init(_ stream: StreamConfiguration) { (formats, redundancy) = (stream.receivedFormats, stream.redundancyPayloadTypes) }

    mutating func blank(_ event: CaptureEvent, into writer: CaptureWriter) {
        switch event {
        case .pull(let time, let samples): writer.add(pull: time, samples: samples)
        case .stop(let time, let milliseconds): writer.add(stop: time, milliseconds: milliseconds)
        case .pullsMoved(let time, let milliseconds): writer.add(pullsMoved: time, milliseconds: milliseconds)
        case .change(let time, let text):
            if case .formats(let new)? = StreamChange(captured: text) { formats = new + formats.filter { !new.contains($0) } }
            writer.add(change: text, time: time)
        case .datagram(let datagram):
            var bytes = datagram.bytes
            if !datagram.isControl { bytes.withUnsafeMutableBytes { blank(datagram: $0, isSent: datagram.direction == .sent) } }
            bytes.withUnsafeBytes {
                writer.add(
                    $0, time: datagram.time, isReceived: datagram.direction != .sent, source: datagram.source,
                    destination: datagram.destination)
            }
        }
    }

    private func blank(datagram: UnsafeMutableRawBufferPointer, isSent: Bool) {
        guard let packet = try? RTPPacket(parsing: UnsafeRawBufferPointer(datagram)) else {
            return blank(UnsafeRawBufferPointer(datagram), of: nil, in: datagram)
        }
        // Levels of the sound (RFC 6464) may stand there.
        blank(packet.extensionData, of: nil, in: datagram)
        // The other side chose the numbers of what we send, and no replay hears it.
        guard !isSent else { return fill(packet.payload, with: 0, in: datagram) }
        guard redundancy.contains(packet.header.payloadType) else {
            return blank(packet.payload, of: packet.header.payloadType, in: datagram)
        }
        guard let redundant = try? RedundantPayload(parsing: packet.payload) else {
            // What was refused stays what is refused: copies without end.
            return fill(packet.payload, with: 0xff, in: datagram)
        }
        redundant.forEachCopy { blank($0.payload, of: $0.payloadType, in: datagram) }
        blank(redundant.primary, of: redundant.primaryPayloadType, in: datagram)
    }

    /// - Parameters:
    ///   - part: of `datagram`.
    ///   - type: that it has; `nil`, and one that is not known: it is no sound that is played, and becomes zeros.
    ///   - datagram: changed in place.
    private func blank(_ part: UnsafeRawBufferPointer, of type: UInt8?, in datagram: UnsafeMutableRawBufferPointer) {
        if let format = formats.first(where: { $0.payloadType == type }) {
            change(part, in: datagram) { format.codec.blank($0) }
        } else if formats.contains(where: { $0.telephoneEventPayloadType == type }) {
            // The key that was pressed; how long stays. Other keys may stand behind its four bytes (RFC 2833).
            change(part, in: datagram) { event in
                for index in event.indices where index == 0 || index >= 4 { event[index] = 0 }
            }
        } else if !formats.contains(where: { $0.comfortNoisePayloadType == type }) {
            fill(part, with: 0, in: datagram)
        }
    }

    private func fill(_ part: UnsafeRawBufferPointer, with byte: UInt8, in datagram: UnsafeMutableRawBufferPointer) {
        change(part, in: datagram) { place in for index in place.indices { place[index] = byte } }
    }

    private func change(
        _ part: UnsafeRawBufferPointer, in datagram: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        guard let start = part.baseAddress, let base = datagram.baseAddress, !part.isEmpty else { return }
        let offset = start - UnsafeRawPointer(base)
        body(UnsafeMutableRawBufferPointer(rebasing: datagram[offset..<offset + part.count]))
    }
}
