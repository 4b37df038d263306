/// A stretch of pulled sound that was not plain audio.
public struct Incident: Sendable, Equatable {
    /// What the buffer did.
    public var reason: PlayoutReason
    /// When it began, in milliseconds of the pulled stream.
    public var startMs: Double
    /// How long the pulls lasted that it coloured.
    public var durationMs: Double
}

/// The latest incidents, in a circle of fixed size; pulls of one reason in a row are one incident.
struct IncidentLog {
    static let capacity = 512

    private let memory: Memory
    private var next = 0
    private var count = 0
    private var isOpen = false

    private final class Memory {
        let items: UnsafeMutablePointer<Incident>
        // Not written before it is used: only then it becomes resident.
        init() { items = .allocate(capacity: IncidentLog.capacity) }
        deinit { items.deallocate() }
    }

    init() { memory = Memory() }

    var incidents: [Incident] {
        (0..<count).map { memory.items[(next + Self.capacity - count + $0) % Self.capacity] }
    }

    mutating func add(_ reason: PlayoutReason, at startMs: Double, durationMs: Double) {
        guard reason != .normal, reason != .waiting else {
            isOpen = false
            return
        }
        let last = (next + Self.capacity - 1) % Self.capacity
        if isOpen, memory.items[last].reason == reason {
            memory.items[last].durationMs += durationMs
            return
        }
        (memory.items + next).initialize(to: Incident(reason: reason, startMs: startMs, durationMs: durationMs))
        next = (next + 1) % Self.capacity
        count = min(count + 1, Self.capacity)
        isOpen = true
    }
}
