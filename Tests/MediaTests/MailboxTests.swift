import Glibc
import LiveMedia
import Testing

@Suite("A mailbox") struct MailboxTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }

    @Test("gives everything in order, once, and is readable only while something waits")
    func order() throws {
        let box = try Mailbox<Int>()
        #expect(!isReadable(box.signal.fileDescriptor) && box.takeAll() == [])
        for value in 1...5 { box.post(value) }
        #expect(isReadable(box.signal.fileDescriptor))
        #expect(box.takeAll() == [1, 2, 3, 4, 5])
        #expect(!isReadable(box.signal.fileDescriptor) && box.takeAll() == [])
    }

    @Test("loses nothing between several threads")
    func threads() async throws {
        let box = try Mailbox<Int>()
        var taken: [Int] = []
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask { for value in 0..<5000 { box.post(sender * 10_000 + value) } }
            }
            while taken.count < 10_000 {
                taken += box.takeAll()
                await Task.yield()
            }
            await group.waitForAll()
        }
        taken += box.takeAll()
        #expect(taken.count == 20_000)
        for sender in 0..<4 {
            let own = taken.filter { $0 / 10_000 == sender }
            #expect(own == own.sorted() && own.count == 5000)
        }
    }
}
