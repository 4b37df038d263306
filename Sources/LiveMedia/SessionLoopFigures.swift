import Media

/// How the threads fare that sessions without a device share.
public struct SessionLoopFigures: Sendable, Equatable {
    /// Threads that have sessions.
    public var threads = 0
    public var sessions = 0
    /// Processor time of the threads, in cores.
    public var processorShare = 0.0
    /// What their time went into, in cores. Packets are handed to the system while something is said.
    public var stages: [PortStage: Double] = [:]
    /// How they keep up: the worst of them.
    public var loop = LoopFigures()

    public init() {}

    init(threads: Int, sessions: Int, processorShare: Double, stages: [PortStage: Double], loop: LoopFigures) {
        (self.threads, self.sessions, self.processorShare) = (threads, sessions, processorShare)
        (self.stages, self.loop) = (stages, loop)
    }

    mutating func add(_ other: SessionLoopFigures) {
        threads += other.threads
        sessions += other.sessions
        processorShare += other.processorShare
        stages.merge(other.stages, uniquingKeysWith: +)
        loop.add(other.loop)
    }
}
