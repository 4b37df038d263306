import Codecs
import Realtime

/// Finds out of one call what it heard of what it had said, and so how long that was on its way. It works with what was noted when packets
/// came and went (`HeardStretch`), so that no packet waits for it. Sans-I/O.
package struct EchoEar {
    /// Sound that is compared at once, in seconds.
    private static let windowSeconds = 1.0
    /// Longest way out and back that is looked for, in seconds.
    private static let longestDelaySeconds = 0.6
    private static let sentKept = 1024

    private let decoder: any AudioDecoder
    /// The packet of the speech that the call began with.
    private let firstPacket: Int
    private var sentAt = [HostTime](repeating: .zero, count: EchoEar.sentKept)
    private var window: [Float] = []
    private var arrivals: [HostTime] = []
    private var windowStart = 0
    /// Of the packets before this one it is not known when they left.
    private var firstKnown = 0
    /// Where the next stretch begins.
    private var nextSent = 0
    private(set) var delaySum = 0.0
    private(set) var delays = 0
    private(set) var correlationSum = 0.0
    private(set) var windowsFound = 0
    private(set) var windowsLost = 0

    /// - Parameters:
    ///   - decoder: of its own.
    ///   - firstPacket: the packet of the speech that the call began with.
    init(decoder: any AudioDecoder, firstPacket: Int) {
        self.decoder = decoder
        self.firstPacket = firstPacket
    }

    /// From mouth to ear, in milliseconds; nil: nothing was found.
    var delayMilliseconds: Double? { delays > 0 ? delaySum / Double(delays) : nil }
    /// How much of what was said came back, 0...1.
    var correlation: Double? { windowsFound > 0 ? correlationSum / Double(windowsFound) : nil }

    /// Listens to what came back.
    /// - Parameters:
    ///   - stretch: the one that follows those before.
    ///   - speech: what the call says.
    ///   - samples: room for a packet's sound.
    ///   - onDelay: gets mouth-to-ear delays, in milliseconds.
    mutating func listen(
        to stretch: HeardStretch, speech: LoadSpeech, samples: UnsafeMutableBufferPointer<Float>, finder: inout EchoFinder,
        onDelay: (Double) -> Void
    ) {
        // One that nobody had time for is missing.
        if stretch.firstSent != nextSent {
            clearWindow()
            firstKnown = stretch.firstSent
        }
        for (index, time) in stretch.sentAt.enumerated() { sentAt[(stretch.firstSent + index) % Self.sentKept] = time }
        nextSent = stretch.firstSent + stretch.sentAt.count
        stretch.bytes.withUnsafeBytes { bytes in
            for packet in stretch.packets {
                let payload = UnsafeRawBufferPointer(rebasing: bytes[packet.payload])
                hear(packet, payload, speech: speech, samples: samples, finder: &finder, onDelay: onDelay)
            }
        }
    }

    private mutating func hear(
        _ packet: HeardStretch.Packet, _ payload: UnsafeRawBufferPointer, speech: LoadSpeech,
        samples: UnsafeMutableBufferPointer<Float>, finder: inout EchoFinder, onDelay: (Double) -> Void
    ) {
        if !packet.isNext { clearWindow() }
        guard let count = try? decoder.decode(payload, into: samples), count == speech.frameLength else {
            return clearWindow()
        }
        if window.isEmpty { windowStart = packet.packetsSent }
        arrivals.append(packet.arrival)
        LoadSpeech.analyse(UnsafeBufferPointer(rebasing: samples[..<count]), factor: speech.factor, into: &window)
        guard Double(window.count) >= Self.windowSeconds * speech.referenceRate else { return }
        measure(speech, packetsSent: packet.packetsSent, &finder, onDelay)
        clearWindow()
    }

    private mutating func clearWindow() {
        window.removeAll(keepingCapacity: true)
        arrivals.removeAll(keepingCapacity: true)
    }

    /// Finds the window in what was sent before its first packet came.
    private mutating func measure(
        _ speech: LoadSpeech, packetsSent: Int, _ finder: inout EchoFinder, _ onDelay: (Double) -> Void
    ) {
        let length = speech.analysedLength
        let reach = Int(Self.longestDelaySeconds * 1000) / speech.packetMilliseconds + 1
        let firstSearched = max(firstKnown, windowStart - reach)
        let packets = min(packetsSent, windowStart + arrivals.count + 1) - firstSearched
        guard packets > arrivals.count, nextSent - firstSearched < Self.sentKept else { return }
        var said: [Float] = []
        said.reserveCapacity(packets * length)
        for packet in firstSearched..<firstSearched + packets {
            let place = (firstPacket + packet) % speech.packets * length
            said += speech.reference[place..<place + length]
        }
        guard let match = finder.find(window, in: said) else {
            windowsLost += 1
            return
        }
        windowsFound += 1
        correlationSum += match.correlation
        for (index, arrival) in arrivals.enumerated() {
            let sample = match.offset + index * length
            let (packet, within) = (firstSearched + sample / length, sample % length)
            guard packet < packetsSent else { break }
            // A packet leaves when its last sample has been said.
            let spoken = sentAt[packet % Self.sentKept].advanced(
                byMilliseconds: -Double(length - within) * 1000 / speech.referenceRate)
            let delay = arrival.milliseconds(since: spoken)
            delaySum += delay
            delays += 1
            onDelay(delay)
        }
    }
}
