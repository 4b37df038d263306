import Glibc

/// Runs `body` at real-time priority and gives it back.
///
/// A sound server's plugin starts a thread of its own while a PCM is opened, which moves all data and inherits the
/// opener's scheduling: without this it runs as an ordinary thread between two real-time ones, and under load is late.
func withBorrowedPriority<Result, Failure: Error>(
    _ priority: Int?, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    guard let priority else { return try body() }
    let thread = pthread_self()
    var policy: Int32 = 0
    var before = sched_param()
    guard pthread_getschedparam(thread, &policy, &before) == 0 else { return try body() }
    var wanted = sched_param(sched_priority: Int32(min(max(priority, 1), 99)))
    // refused without privileges: then everything is ordinary, as the threads report themselves
    let isRaised = pthread_setschedparam(thread, SCHED_FIFO, &wanted) == 0
    defer { if isRaised { pthread_setschedparam(thread, policy, &before) } }
    return try body()
}
