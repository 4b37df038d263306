import Glibc
import RTP

/// How a stream is protected, given the loss that the other side reports: in steps, up at once and down slowly.
///
/// | level | from | encoder | copies (RFC 2198) |
/// |---|---|---|---|
/// | 0 | | configured rate, no loss expected | none |
/// | 1 | 1 % loss | at least 36 kbit/s, 3 % expected: Opus's in-band FEC | none |
/// | 2 | 16 % loss, or 3 % in bursts | at least 30 kbit/s, 3 % expected | one full copy, 2 packets back, in bursts 3 |
///
/// In-band FEC takes its bits from the speech, so that level 1 pays for it with bit rate, and the encoder is never told
/// the measured loss: a hint of 10-25 % costs more voice than it saves. A full copy bears its own in-band FEC: packet n is
/// in n+1 (FEC), n+2 (copy) and n+3 (FEC of the copy). Rates are of the payload, without RTP, UDP and IP headers.
public struct RedundancyLadder: Sendable {
    /// What the stream is and may cost.
    public struct Configuration: Sendable {
        /// Bit rate without loss, bit/s.
        public var bitrate: Int
        /// Whether the codec's rate can be chosen (Opus).
        public var isAdjustable: Bool
        /// Whether its packets may carry in-band FEC: without it more bit rate protects nothing.
        public var usesFEC: Bool
        /// Bit rate never exceeded, copies included, bit/s.
        public var maximumBitrate: Int
        /// Length of a packet in milliseconds.
        public var packetMilliseconds: Double
        /// Whether the peer agreed to redundant payloads.
        public var allowsCopies: Bool

        public init(
            bitrate: Int, isAdjustable: Bool, usesFEC: Bool, maximumBitrate: Int, packetMilliseconds: Double,
            allowsCopies: Bool
        ) {
            self.bitrate = bitrate
            self.isAdjustable = isAdjustable
            self.usesFEC = usesFEC
            self.maximumBitrate = maximumBitrate
            self.packetMilliseconds = packetMilliseconds
            self.allowsCopies = allowsCopies
        }
    }

    /// What is done.
    public struct Protection: Sendable, Equatable {
        /// 0, 1 or 2.
        public var level: Int
        /// Of the encoder, bit/s.
        public var bitrate: Int
        /// For `AudioEncoder.setExpectedLoss`.
        public var expectedLossPercent: Int
        /// Which packets travel again.
        public var copies: RedundancyOffsets

        public init(level: Int, bitrate: Int, expectedLossPercent: Int, copies: RedundancyOffsets) {
            self.level = level
            self.bitrate = bitrate
            self.expectedLossPercent = expectedLossPercent
            self.copies = copies
        }
    }

    /// Loss from which in-band FEC pays, 0...1; and copies; and copies against bursts.
    static let fecThreshold = 0.01
    static let copyThreshold = 0.16
    static let burstCopyThreshold = 0.03
    /// Mean run of lost packets above which loss comes in bursts.
    static let burstRun = 1.75
    /// Weight of a report that is worse, and of one that is better than what was known.
    static let rise = 0.5
    static let fall = 0.25
    /// A report of fewer seconds weighs less: of 50 packets at 10 % of loss some lose 20 %.
    static let fullSeconds = 2.0
    /// Reports calmer than the level that bring it down by one.
    static let calmReports = 2
    /// Against bursts they must cover this much, in seconds: where reports come each second, two between two bursts say
    /// nothing.
    static let calmSeconds = 10.0
    static let expectedLossUnderLoss = 3
    /// Least rate of level 1, of level 2, and of an encoder beside copies: below, Opus drops its own FEC.
    static let fecBitrate = 36_000
    static let copyBitrate = 30_000
    static let leastCopyBitrate = 20_000
    static let copyOffset = 2
    static let burstCopyOffset = 3
    /// How much of the run lengths heard before is kept over the usual interval of reports.
    static let runMemory = 0.8

    /// Smoothed loss, 0...1; nil before the first report.
    public private(set) var lossRatio: Double?
    /// Mean run of lost packets, with one single loss taken for granted so that one burst alone proves nothing.
    public var meanRun: Double { (1 + lostInRuns) / (1 + runs) }
    /// What is to be done now.
    public private(set) var protection: Protection

    private var configuration: Configuration
    private var runs = 0.0
    private var lostInRuns = 0.0
    private var burstRunReported: Double?
    private var calm = 0
    private var calmTime = 0.0

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        protection = Protection(level: 0, bitrate: 0, expectedLossPercent: 0, copies: [])
        protection = makeProtection(level: 0)
    }

    /// The stream goes on in another codec, over the same line.
    public mutating func change(to configuration: Configuration) {
        self.configuration = configuration
        protection = makeProtection(level: protection.level)
    }

    /// Whether loss comes in bursts.
    public var isBursty: Bool { max(meanRun, burstRunReported ?? 1) > Self.burstRun }

    /// The peer reported; values that are no ratio are taken as the nearest one.
    @discardableResult
    public mutating func heed(_ report: ReportedLoss) -> Protection {
        let ratio = report.ratio.isFinite ? min(max(report.ratio, 0), 1) : 0
        if let before = lossRatio {
            let weight = ratio > before ? Self.rise : Self.fall
            lossRatio = before + min(weight, 1 - pow(1 - weight, report.span / Self.fullSeconds)) * (ratio - before)
        } else {
            lossRatio = ratio
        }
        if let heard = report.runs {
            let kept = pow(Self.runMemory, report.span / ReportedLoss.usualSeconds)
            runs = kept * runs + Double(heard.count)
            lostInRuns = kept * lostInRuns + Double(heard.packets)
            burstRunReported = nil
        } else if let density = report.burstDensity, density >= 0, density < 1 {
            // Losses independent of each other at that density come in runs of this mean length.
            burstRunReported = 1 / (1 - density)
        }
        move(to: wantedLevel, after: report.span)
        return protection
    }

    private var wantedLevel: Int {
        let loss = lossRatio ?? 0
        if loss >= Self.copyThreshold || isBursty && loss >= Self.burstCopyThreshold { return 2 }
        return loss >= Self.fecThreshold ? 1 : 0
    }

    private mutating func move(to wanted: Int, after seconds: Double) {
        var level = protection.level
        calm = wanted < level ? calm + 1 : 0
        calmTime = wanted < level ? calmTime + seconds : 0
        if wanted > level {
            level = wanted
        } else if calm >= Self.calmReports, !isBursty || calmTime >= Self.calmSeconds {
            level -= 1
            calm = 0
            calmTime = 0
        }
        protection = makeProtection(level: level)
    }

    private func makeProtection(level: Int) -> Protection {
        let expectedLoss = level > 0 && configuration.usesFEC ? Self.expectedLossUnderLoss : 0
        if level == 2, configuration.allowsCopies, let rate = bitrateBesideCopy {
            let offset = isBursty ? Self.burstCopyOffset : Self.copyOffset
            return Protection(
                level: level, bitrate: rate, expectedLossPercent: expectedLoss, copies: RedundancyOffsets(offset: offset))
        }
        var rate = configuration.bitrate
        if configuration.isAdjustable {
            rate = min(expectedLoss > 0 ? max(rate, Self.fecBitrate) : rate, configuration.maximumBitrate)
        }
        return Protection(level: level, bitrate: rate, expectedLossPercent: expectedLoss, copies: [])
    }

    /// Of the encoder when each packet carries one copy; nil when that costs too much.
    private var bitrateBesideCopy: Int? {
        // A header of 4 bytes for the copy and one byte for the primary block (RFC 2198 section 3).
        let headers = 5 * 8 * 1000 / max(1, configuration.packetMilliseconds)
        let most = (configuration.maximumBitrate - Int(headers)) / 2
        guard configuration.isAdjustable else { return configuration.bitrate <= most ? configuration.bitrate : nil }
        let rate = min(max(configuration.bitrate, Self.copyBitrate), most)
        return rate >= Self.leastCopyBitrate ? rate : nil
    }
}

/// What a peer's report says of the losses of our stream since the one before.
public struct ReportedLoss: Sendable, Equatable {
    /// Lost of expected, 0...1 (RTCP receiver report).
    public var ratio: Double
    /// Runs of lost packets, and packets in them (XR loss RLE); nil when the peer does not tell.
    public var runs: Runs?
    /// Share of lost packets in bursts, 0...1 (XR VoIP metrics); nil when the peer does not tell.
    public var burstDensity: Double?
    /// Since the report before, in seconds.
    public var seconds = usualSeconds

    /// Least interval of reports unless the peers agreed to more (RFC 3550 section 6.2).
    static let usualSeconds = 5.0
    /// `seconds` as far as one report can tell; an interval of silence says no more than a usual one.
    var span: Double { seconds.isFinite ? min(max(seconds, 0), Self.usualSeconds) : Self.usualSeconds }

    /// How losses follow each other.
    public struct Runs: Sendable, Equatable {
        /// Runs: packets that were lost one after the other.
        public var count: Int
        /// Packets lost in all of them.
        public var packets: Int

        public init(count: Int, packets: Int) {
            self.count = count
            self.packets = packets
        }
    }

    public init(ratio: Double, runs: Runs? = nil, burstDensity: Double? = nil) {
        self.ratio = ratio
        self.runs = runs
        self.burstDensity = burstDensity
    }
}
