import DSP

/// Numbers of `ArrivalHistory` and of what `DelayManager` tells it.
package struct ArrivalTuning: Tuning {
    /// Time in which an arrival's weight falls to 1/e, in milliseconds. Measured: scripts/bench-receive over several
    /// memories; shorter ones forget recurring spikes.
    package var memory = 40_000.0
    /// Window of the fastest and of the latest arrival, in milliseconds, and the arrivals it holds at least. By hand.
    package var window = 10_000.0
    package var windowEvents = 50
    /// Packets that the mean delay is taken over. By hand.
    package var meanPackets = 50.0
    /// Rise of the unqueued line's running minimum, as a fraction: 30 ppm, under what clocks drift. By hand.
    package var creep = 30e-6
    /// Changes of the drift's estimate smaller than this, in parts per million, are not worth the work. By hand.
    package var driftTolerance = 2.0
    /// Drift beyond this, in parts per million, is not believed. By hand.
    package var mostDrift = 1000.0
    /// How often a calm line is looked at, in milliseconds. By hand.
    package var fadeInterval = 200.0
    /// A line is calm when nothing in the window came later than this share of what the target allows for. By hand.
    package var calmShare = 0.5
    /// How many times faster, beside the usual fading, what did not happen on a calm line is forgotten. Measured:
    /// scripts/bench-receive.
    package var calmSpeed = 8.0
    /// Delay above the floor from which one arrival alone is a straggler and two in a row are a spike, in milliseconds.
    /// By hand.
    package var spikeDelay = 40.0
    /// What it counts when media become usable by in-band FEC, when its packet follows that, and when the packet after a lost
    /// one shows where its sound led to; a packet counts 1. By hand.
    package var weightOfFEC = 0.7
    package var weightAfterFEC = 0.3
    package var weightOfSuccessor = 0.5

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("memory", \.memory, 100...10_000_000), .init("window", \.window, 100...600_000),
            .init("windowEvents", \.windowEvents, 1...10_000), .init("meanPackets", \.meanPackets, 1...10_000),
            .init("creep", \.creep, 0...1e-2), .init("driftTolerance", \.driftTolerance, 0...1000),
            .init("mostDrift", \.mostDrift, 0...10_000), .init("fadeInterval", \.fadeInterval, 1...60_000),
            .init("calmShare", \.calmShare, 0...1), .init("calmSpeed", \.calmSpeed, 0...1000),
            .init("spikeDelay", \.spikeDelay, 0...1000), .init("weightOfFEC", \.weightOfFEC, 0...1),
            .init("weightAfterFEC", \.weightAfterFEC, 0...1), .init("weightOfSuccessor", \.weightOfSuccessor, 0...1),
        ]
    }
}

/// Numbers of `SpikeRhythm`.
package struct RhythmTuning: Tuning {
    /// Ratio of the longest to the shortest interval between spikes that is still a rhythm. By hand, on channel scans of
    /// Wi-Fi and on made traces.
    package var mostUneven = 1.1
    /// Late arrivals that follow each other within so many milliseconds are one spike. By hand.
    package var sameSpike = 500.0
    /// How well the start of a spike is known, in milliseconds: to two packets.
    package var resolution = 40.0

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("mostUneven", \.mostUneven, 1...10), .init("sameSpike", \.sameSpike, 1...60_000),
            .init("resolution", \.resolution, 0...1000),
        ]
    }
}

/// Numbers of `DriftEstimator`.
package struct DriftTuning: Tuning {
    /// Time of which the fastest arrival is kept, in milliseconds. By hand.
    package var bucket = 2000.0
    /// Buckets before the first estimate, and before one that is told. By hand.
    package var leastBuckets = 3
    package var settledBuckets = 10
    /// Spread of the clocks one meets, as a fraction: crystals stay under 100 ppm, sound servers' virtual clocks do not.
    package var usual = 200e-6
    /// The fastest arrivals of two buckets differ by this much on the best of lines, in milliseconds. By hand.
    package var leastSpread = 0.2
    /// A step of the fastest arrival by more than this, in milliseconds, is another route. By hand.
    package var routeChange = 15.0
    /// On a line that is calm, the fastest arrivals of so many milliseconds each lie within so many of a straight line. By hand.
    package var calmBucket = 1000.0
    package var calmSpread = 0.12
    /// It bends where its slope differs by this fraction from what is known, and is known this well then; or where it steps by so many
    /// milliseconds. By hand.
    package var bend = 75e-6
    package var bendSpread = 50e-6
    package var step = 0.6

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("bucket", \.bucket, 20...60_000), .init("leastBuckets", \.leastBuckets, 3...60),
            .init("settledBuckets", \.settledBuckets, 1...60), .init("usual", \.usual, 1e-9...1e-2),
            .init("leastSpread", \.leastSpread, 1e-6...100), .init("routeChange", \.routeChange, 0.1...10_000),
            .init("calmBucket", \.calmBucket, 20...60_000), .init("calmSpread", \.calmSpread, 0...100),
            .init("bend", \.bend, 0...1), .init("bendSpread", \.bendSpread, 1e-9...1), .init("step", \.step, 0...1000),
        ]
    }
}

/// Numbers of `SequenceMemory`.
package struct LossTuning: Tuning {
    /// A packet is judged lost when this many later ones have passed. By hand.
    package var patience = 25
    /// Packets that the loss ratio is taken over. By hand.
    package var packets = 250.0

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [.init("patience", \.patience, 1...100), .init("packets", \.packets, 1...100_000)]
    }
}

/// Numbers of `PullClock`.
package struct PullClockTuning: Tuning {
    /// A jump beyond this is a stall of the player, in milliseconds. By hand.
    package var stall = 200.0
    /// So long after a stall, in milliseconds, what the player missed may still come. By hand.
    package var afterStall = 100.0
    /// Window of the earliest pull, in milliseconds, and the pulls it holds at least. By hand.
    package var window = 2000.0
    package var windowPulls = 20
    /// Pulls that the mean is taken over. By hand.
    package var meanPulls = 50.0
    /// So long after our own machine stood still, in milliseconds, packets still come that it held up. By hand.
    package var afterStop = 2.0
    /// So long after our own machine stood still, in milliseconds, it is expected to do so again. By hand, beside a stop every 0.7 s.
    package var amongStops = 5000.0

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("stall", \.stall, 1...60_000), .init("afterStall", \.afterStall, 0...10_000),
            .init("window", \.window, 20...600_000), .init("windowPulls", \.windowPulls, 1...10_000),
            .init("meanPulls", \.meanPulls, 1...10_000),
            .init("afterStop", \.afterStop, 0...1000), .init("amongStops", \.amongStops, 0...600_000),
        ]
    }
}

/// Numbers that tell a stream's end: `ReceivedStream` and `OverdueStream`.
package struct StreamTuning: Tuning {
    /// Packets arrive and none of them can be played for this long, in milliseconds, or a talkspurt comes so much too late. By
    /// hand; a burst after a stall of the network arrives in less.
    package var overduePatience = 1000.0
    /// A step of the sequence number beyond this is another stream's: RFC 3550 appendix A.1, MAX_DROPOUT.
    package var maximumDropout = 3000
    /// Packets' lengths that a timestamp may go on for each sequence number before it is looked at as a jump. By hand.
    package var longestStep = 2
    /// A packet that comes so much earlier than the fastest, in milliseconds, cannot have been spoken by then. By hand.
    package var earliest = 250.0

    package init() {}

    package static var parameters: [TuningParameter<Self>] {
        [
            .init("overduePatience", \.overduePatience, 20...60_000), .init("maximumDropout", \.maximumDropout, 2...30_000),
            .init("longestStep", \.longestStep, 1...1000), .init("earliest", \.earliest, 1...60_000),
        ]
    }
}
