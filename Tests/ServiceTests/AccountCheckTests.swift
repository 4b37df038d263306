import Reporting
import Testing

import Service

@Suite("A look at an account's registrar by request") struct AccountCheckTests {
    private func steps(_ json: JSONValue) -> [(String?, JSONValue?)] {
        guard case .array(let steps) = json.value(at: "steps") else { return [] }
        return steps.map { ($0.text("step"), $0.value(at: "passed")) }
    }

    @Test("each step is told, and who passed registers anew")
    func passed() async {
        let bench = Bench()
        let look = await bench.ask("POST", "/v1/accounts/office/check")
        #expect(look.status == 200 && look.json.text("outcome") == "registered")
        #expect(look.json.text("seen_address") == "192.0.2.1:5060")
        #expect(steps(look.json).map(\.0) == ["server", "registration"])
        #expect(bench.telephone.wished == ["check office", "refresh office"])
    }

    @Test("trouble is an answer with what to do; nobody registers anew because of it")
    func failed() async {
        let bench = Bench(accounts: ["shop", "broken"])
        let look = await bench.ask("POST", "/v1/accounts/shop/check", "{}")
        #expect(look.status == 200 && look.json.text("outcome") == "refused" && look.json.value(at: "seen_address") == .null)
        #expect(steps(look.json).map(\.1) == [.boolean(true), .boolean(false)])
        #expect(bench.telephone.wished == ["check shop"])
        #expect(await bench.ask("POST", "/v1/accounts/broken/check").status == 503)
        #expect(await bench.ask("POST", "/v1/accounts/broken/check").status == 503, "a look that failed leaves no place taken")
    }

    @Test("one at a time for each account, and a few in all; the others are told to ask again")
    func busy() async {
        let names = (0..<AccountCheckDesk.most).map { "account\($0)" }
        let bench = Bench(accounts: ["office", "late"] + names)
        bench.telephone.lookDoor.withLock { $0 = false }
        async let first = bench.ask("POST", "/v1/accounts/office/check")
        while bench.telephone.wished.isEmpty { try? await Task.sleep(for: .milliseconds(5)) }
        let second = await bench.ask("POST", "/v1/accounts/office/check")
        #expect(second.status == 409 && second.json.text("detail")?.contains("again") == true)
        await withTaskGroup(of: Int.self) { group in
            for name in names.dropFirst() { group.addTask { await bench.ask("POST", "/v1/accounts/\(name)/check").status } }
            while bench.telephone.wished.count < AccountCheckDesk.most { try? await Task.sleep(for: .milliseconds(5)) }
            #expect(await bench.ask("POST", "/v1/accounts/late/check").status == 409)
            bench.telephone.lookDoor.withLock { $0 = true }
            for await status in group { #expect(status == 200) }
        }
        #expect(await first.status == 200)
        #expect(await bench.ask("POST", "/v1/accounts/late/check").status == 200)
    }

    @Test("who waits for a look when the service ends is let go before the look is over")
    func ends() async {
        let bench = Bench()
        bench.telephone.lookDoor.withLock { $0 = false }
        async let asked = bench.ask("POST", "/v1/accounts/office/check")
        while bench.telephone.wished.isEmpty { try? await Task.sleep(for: .milliseconds(5)) }
        bench.core.accountChecks.finish()
        #expect(await asked.status == 503)
        bench.telephone.lookDoor.withLock { $0 = true }
    }

    @Test("who may only look, and a body that is no object, are refused; an account that is not there is told so")
    func refused() async {
        let bench = Bench(tokens: [.admin: Bench.token, .read: "reader-0123456789"])
        let reader = ["authorization": "Bearer reader-0123456789"]
        #expect(await bench.ask("POST", "/v1/accounts/office/check", headers: reader).status == 403)
        #expect(await bench.ask("POST", "/v1/accounts/office/check", "[1]").status == 400)
        #expect(await bench.ask("POST", "/v1/accounts/nobody/check").status == 404)
        bench.core.calls.drain()
        #expect(await bench.ask("POST", "/v1/accounts/office/check").status == 503)
        #expect(bench.telephone.wished.isEmpty)
    }
}
