import Realtime

/// What a call takes out from behind a lock. It may be the application's, whose end may call the unit or the graph: it ends once the lock
/// is free.
final class Leaving: Sendable {
    private let things = Lock<[any Sendable]>([])

    func take(_ thing: some Sendable) { things.withLock { $0.append(thing) } }
}

extension Lock {
    /// Runs `body` with the value, alone; what it takes out ends after that.
    func withLock<Result: Sendable, Failure: Error>(
        leaving body: (inout sending Value, Leaving) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let leaving = Leaving()
        defer { withExtendedLifetime(leaving) {} }
        return try withLock { value throws(Failure) in try body(&value, leaving) }
    }
}
