import Diagnosis
import Dispatch
import Realtime
import Reporting
import Testing

import Service

@Suite("Findings by request") struct CheckTests {
    @Test("the findings and the accounts' states come with the worst grade")
    func route() async throws {
        let bench = Bench()
        let before = await bench.ask("GET", "/v1/check")
        #expect(before.status == 200 && before.json.text("grade") == "trouble", "no account is registered yet")
        bench.core.accounts.take(RegistrationReport(account: "office", state: "registered"))
        let after = await bench.ask("GET", "/v1/check").json
        #expect(after.text("grade") == "fine")
        guard case .array(let findings) = after.value(at: "findings") else { return #expect(Bool(false)) }
        #expect(findings.map { $0.text("subject") } == ["account office"] && findings[0].value(at: "remedy") == .null)
        #expect(await bench.ask("GET", "/v1/check?last=true").json == after)
        for wrong in ["last=yes", "lost=true"] {
            let answer = await bench.ask("GET", "/v1/check?\(wrong)")
            #expect(answer.status == 400 && answer.json.text("at") == wrong.split(separator: "=").first.map(String.init))
        }
        #expect(await bench.ask("GET", "/v1/check", headers: ["authorization": "Bearer wrong"]).status == 401)
    }

    @Test("who waits for a look, or asks for one, when the service ends is let go before the look is over")
    func ends() async {
        let hasBegun = Lock(false)
        let end = DispatchSemaphore(value: 0)
        let desk = CheckDesk {
            hasBegun.withLock { $0 = true }
            end.wait()
            return [Finding(account: "office", isRegistered: true, detail: "")]
        }
        let asked = Task { await desk.findings() }
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
        desk.finish()
        let found = await (asked.value, desk.findings())
        #expect(found.0 == nil && found.1 == nil)
        end.signal()
    }

    @Test("who asks while a look is under way gets its findings, and the next one begins another")
    func shared() async {
        let looks = Lock(0)
        let desk = CheckDesk {
            looks.withLock { $0 += 1 }
            return [Finding(account: "office", isRegistered: true, detail: "")]
        }
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { await desk.findings()?.count ?? 0 } }
            for await count in group { #expect(count == 1) }
        }
        let first = looks.withLock { $0 }
        #expect((1...50).contains(first))
        _ = await desk.findings()
        #expect(looks.withLock { $0 } == first + 1)
        #expect(await desk.findings(takesLast: true)?.count == 1)
        #expect(looks.withLock { $0 } == first + 1, "what was found last did")
    }
}
