import Glibc
import Softphone
import Synchronization
import Testing

@Suite("Events to many subscribers") struct EventFanOutTests {
    /// Counts those of its kind that are alive.
    private final class Payload: Sendable {
        let number: Int
        private let alive: Counter

        init(_ number: Int, _ alive: Counter) {
            self.number = number
            self.alive = alive
            alive.value.add(1, ordering: .relaxed)
        }

        deinit { alive.value.subtract(1, ordering: .relaxed) }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test("an hour of events costs a subscriber that never reads its queue and no more, and it learns how many it lost")
    func neverReads() throws {
        let alive = Counter()
        let fanOut = EventFanOut<Payload>()
        let reader = try fanOut.subscribe()
        let sleeper = try fanOut.subscribe(capacity: 256)
        // 50 a second, far more than a call tells.
        let (seconds, each) = (3600, 50)
        var read = 0
        for second in 0..<seconds {
            for index in 0..<each { fanOut.publish(Payload(second * each + index, alive)) }
            let batch = reader.take()
            #expect(batch.lost == 0)
            for payload in batch.values {
                #expect(payload.number == read)
                read += 1
            }
            #expect(sleeper.waiting <= 256)
            // What waits for the sleeper, and this second's for the reader, which `batch` still holds.
            #expect(alive.count <= 256 + each)
        }
        #expect(read == seconds * each)
        let late = sleeper.take()
        #expect(late.values.map(\.number) == Array(seconds * each - 256..<seconds * each))
        #expect(late.lost == seconds * each - 256)
        #expect(sleeper.take().lost == 0, "a loss is told once")
    }

    @Test("what came before anybody subscribed is kept for the first subscriber, with what was lost of it")
    func early() throws {
        let fanOut = EventFanOut<Int>(earlyCapacity: 4)
        for number in 0..<6 { fanOut.publish(number) }
        let first = try fanOut.subscribe()
        let second = try fanOut.subscribe()
        #expect(isReadable(first.fileDescriptor))
        #expect(!isReadable(second.fileDescriptor))
        let batch = first.take()
        #expect(batch.values == [2, 3, 4, 5])
        #expect(batch.lost == 2)
        fanOut.publish(6)
        #expect(first.take().values == [6])
        #expect(second.take().values == [6])
    }

    @Test("the descriptor is readable while something waits, and from the end on")
    func descriptor() throws {
        let fanOut = EventFanOut<Int>()
        let subscription = try fanOut.subscribe()
        #expect(!isReadable(subscription.fileDescriptor))
        fanOut.publish([1, 2])
        #expect(isReadable(subscription.fileDescriptor))
        #expect(subscription.take().values == [1, 2])
        #expect(!isReadable(subscription.fileDescriptor))
        fanOut.publish(3)
        fanOut.finish()
        fanOut.publish(4)
        let last = subscription.take()
        #expect(last.values == [3])
        #expect(last.isLast)
        #expect(isReadable(subscription.fileDescriptor), "nobody may sleep on what is over")
        let late = try fanOut.subscribe()
        #expect(isReadable(late.fileDescriptor))
        #expect(late.take().isLast)
    }

    @Test("whoever cannot poll is called when something waits")
    func onReady() throws {
        let calls = Counter()
        let fanOut = EventFanOut<Int>()
        fanOut.publish(1)
        let subscription = try fanOut.subscribe(capacity: 8) { calls.value.add(1, ordering: .relaxed) }
        #expect(calls.count == 1, "something waited already")
        fanOut.publish(2)
        #expect(calls.count == 2)
        #expect(subscription.take().values == [1, 2])
    }

    @Test("a capacity below 1 is 1", arguments: [0, -1, Int.min])
    func smallest(capacity: Int) throws {
        let fanOut = EventFanOut<Int>()
        let subscription = try fanOut.subscribe(capacity: capacity)
        fanOut.publish([1, 2, 3])
        let batch = subscription.take()
        #expect(batch.values == [3])
        #expect(batch.lost == 2)
    }

    @Test("a subscription that nobody holds any more is gone")
    func gone() throws {
        let fanOut = EventFanOut<Int>()
        var subscription: EventSubscription<Int>? = try fanOut.subscribe()
        #expect(fanOut.subscribers == 1)
        subscription = nil
        #expect(subscription == nil)
        #expect(fanOut.subscribers == 0)
        fanOut.publish(1)
    }

    @Test("subscribers that come and go on other threads each see one unbroken sequence, but for what they are told is lost")
    func comeAndGo() async throws {
        let fanOut = EventFanOut<Int>()
        let count = 20_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<count { fanOut.publish(number) }
                fanOut.finish()
            }
            for capacity in [1, 7, 64, 5000] {
                group.addTask {
                    var isOver = false
                    while !isOver {
                        let subscription = try fanOut.subscribe(capacity: capacity)
                        var next: Int?
                        for _ in 0..<50 where !isOver {
                            let batch = subscription.take()
                            isOver = batch.isLast
                            if let first = batch.values.first {
                                if let next { #expect(first == next + batch.lost) }
                                #expect(batch.values == Array(first..<first + batch.values.count))
                                next = first + batch.values.count
                            }
                            await Task.yield()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(fanOut.subscribers == 0)
    }
}
