import Threads

/// Runs the body on threads of their own, all at once, and waits for their end.
///
/// A pool's threads may be taken by other tests for minutes: `DispatchQueue.concurrentPerform` then runs one body after the other.
/// - Parameters:
///   - count: threads.
///   - body: what each does; it is told which it is, from 0.
/// - Throws: `RealtimeError.noThread`.
public func onOwnThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) throws {
    func run(from number: Int) throws {
        guard number < count else { return }
        let thread = try RealtimeThread(name: "test-\(number)", owning: number) { body($0) }
        let others = Result { try run(from: number + 1) }
        thread.join()
        try others.get()
    }
    try run(from: 0)
}
