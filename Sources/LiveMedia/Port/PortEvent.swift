import Link
import Media
import Metrics

/// What a port of many calls tells of one of them.
public struct PortEvent: Sendable {
    public enum Body: Sendable {
        /// Its caller has proven himself.
        case began
        case call(CallEvent)
        case warning(String)
        /// It is over: why, after how many seconds, and its last figures. The last event of a call.
        case ended(EndReason, seconds: Double, CallStatistics)
    }

    /// The call's number since the port was opened.
    public let call: UInt64
    /// Where its caller is.
    public let remote: SocketAddress
    public let body: Body
}

/// How a port of many calls fares. What concerns time is of the last second.
public struct PortFigures: Sendable, Equatable {
    /// Calls now, and since the port was opened.
    public var calls = 0
    public var callsInAll = 0
    /// Callers turned away and packets not let in, by reason.
    public var refusals = RefusalCounts()
    /// How its loops keep up: the worst of them.
    public var loop = LoopFigures()
    /// Processor time of the loops' threads, in cores.
    public var processorShare = 0.0
    /// What the loops' time went into, in cores, waiting for a core included.
    public var stages: [PortStage: Double] = [:]
    /// Turns left out because the machine stood still for too long, since the port was opened.
    public var turnsLeftOut = 0
    /// Threads that are tied to a core.
    public var pinnedThreads = 0
    /// Complexity of new encoders: what is given up for want of time, and what was asked for.
    public var complexity = 10
    /// Datagrams of all calls together.
    public var packetsReceived = 0
    public var packetsSent = 0
    public var sendFailures = 0
    /// Dropped by the kernel: its queue was full.
    public var kernelDrops = 0

    public init() {}

    /// Of several loops: sums, and the worst of how they keep up.
    init(ofAll loops: [PortFigures]) {
        for one in loops {
            calls += one.calls
            callsInAll += one.callsInAll
            refusals.add(one.refusals)
            loop.add(one.loop)
            processorShare += one.processorShare
            turnsLeftOut += one.turnsLeftOut
            stages.merge(one.stages, uniquingKeysWith: +)
            pinnedThreads += one.pinnedThreads
            complexity = min(complexity, one.complexity)
            packetsReceived += one.packetsReceived
            packetsSent += one.packetsSent
            sendFailures += one.sendFailures
            kernelDrops += one.kernelDrops
        }
    }
}
