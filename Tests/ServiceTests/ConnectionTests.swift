import Link
import Realtime
import Testing

import Service

@Suite("Connections of strangers") struct ConnectionTests {
    private func address(_ number: UInt32) -> IPAddress { IPAddress(v4: 0xC000_0200 + number) }

    @Test("a crowd of one source pushes out its own oldest, and nobody else")
    func crowd() {
        var book = ConnectionBook<Int>()
        let most = ConnectionBook<Int>.Limits().strangersPerSource
        var leaving = [book.enter(-1, from: address(1)).leaving]
        leaving += (0..<most).map { book.enter($0, from: address(2)).leaving }
        #expect(leaving.allSatisfy { $0 == nil })
        leaving = (most..<most + 1000).map { book.enter($0, from: address(2)).leaving }
        #expect(leaving == Array(0..<1000))
        #expect(book.count == most + 1)
    }

    @Test("a crowd of many sources pushes out the source with most, and never fills the house")
    func manySources() {
        var book = ConnectionBook<UInt32>()
        let most = UInt32(ConnectionBook<UInt32>.Limits().strangers)
        let leaving = (0..<most).map { book.enter($0 % 31, from: address($0 % 31)).leaving }
        #expect(leaving.allSatisfy { $0 == nil })
        _ = book.enter(7, from: address(7))
        let last = book.enter(99, from: address(99)).leaving
        #expect(last == 7)
        #expect(book.count == Int(most))
    }

    @Test("who bears the token stays, whoever comes; there is an end to those too")
    func bearers() {
        var book = ConnectionBook<Int>()
        let limits = ConnectionBook<Int>.Limits()
        var numbers = (0..<limits.bearers).map { _ in
            let number = book.enter(1, from: address(1)).number
            return book.trust(number) && book.trust(number) ? number : 0
        }
        #expect(!numbers.contains(0))
        let late = book.enter(2, from: address(1)).number
        let isLate = !book.trust(late)
        book.leave(numbers[0])
        let fits = book.trust(late)
        #expect(isLate && fits)
        let leaving = (0..<1000).map { _ in book.enter(3, from: address(1)).leaving }
        #expect(!leaving.contains(1) && !leaving.contains(2))
        numbers[0] = late
        for number in numbers { book.leave(number) }
        #expect(book.count == limits.strangersPerSource)
    }

    @Test("who was pushed out is not let in by the token that came too late")
    func tooLate() {
        var book = ConnectionBook<Int>(ConnectionBook.Limits(descriptors: 16))
        let first = book.enter(1, from: address(1)).number
        for _ in 0..<100 { _ = book.enter(2, from: address(1)) }
        let isIn = book.trust(first)
        #expect(!isIn)
        let count = book.count
        book.leave(first)
        #expect(book.count == count && count <= 4)
    }

    @Test("the addresses of one IPv6 network are one source")
    func networks() throws {
        var book = ConnectionBook<Int>()
        let most = ConnectionBook<Int>.Limits().strangersPerSource
        for number in 0..<most { _ = book.enter(number, from: try IPAddress("2001:db8::\(number + 1)")) }
        let other = book.enter(-1, from: try IPAddress("2001:db8:0:1::1")).leaving
        let own = book.enter(-1, from: try IPAddress("2001:db8::ffff")).leaving
        #expect(other == nil && own == 0)
    }

    @Test("strangers are answered so often and no oftener, each address for itself")
    func budget() {
        var budget = StrangerBudget()
        var now = HostTime(nanoseconds: 1_000_000_000)
        var answered = (0..<1000).count { _ in budget.take(address(1), now: now) }
        #expect(answered == Int(StrangerBudget.burst))
        let other = budget.take(address(2), now: now)
        #expect(other)
        now = now.advanced(byMilliseconds: 1000)
        answered = (0..<1000).count { _ in budget.take(address(1), now: now) }
        #expect(answered == Int(StrangerBudget.perSecond))
        now = now.advanced(byMilliseconds: 1e7)
        answered = (0..<1000).count { _ in budget.take(address(1), now: now) }
        #expect(answered == Int(StrangerBudget.burst))
    }

    @Test("addresses without end are not kept without end")
    func sources() {
        var budget = StrangerBudget()
        for number in 0..<10_000 {
            let now = HostTime(nanoseconds: Int64(number) * 1000)
            let isAnswered = budget.take(IPAddress(v4: UInt32(number)), now: now)
            #expect(isAnswered)
        }
        #expect(budget.count == StrangerBudget.sources)
    }
}
