import SIP
import Testing

/// Random user actions on both sides of a network that loses, repeats and reorders. What must hold whatever happens:
/// every call ends exactly once and says nothing after it, every INVITE that arrived gets a final response, nothing is
/// sent once all have hung up and their timers have run out, and no state is left.
@Suite("Any order of messages, timers and user actions") struct SequenceFuzzTests {
    @Test("keeps the invariants", arguments: 1...60)
    func sequences(seed: Int) throws {
        let network = Network(seed: UInt64(seed), lossPercent: [0, 5, 20, 40][seed % 4])
        var started = 0
        for _ in 0..<80 {
            act(network, &started)
            network.collect()
            network.advance(Double(network.random.next() % (network.chance(5) ? 40_000 : 700)))
        }
        for index in 0..<2 {
            for call in network.open[index] { try? network.agents[index].hangUp(call, now: network.now) }
        }
        network.collect()
        // Hanging up may wait for an ACK; calls may still have been on their way.
        for _ in 0..<6 {
            network.advance(70_000)
            for index in 0..<2 {
                for call in network.open[index] { try? network.agents[index].hangUp(call, now: network.now) }
            }
            network.collect()
        }
        #expect(network.complaints.isEmpty, "seed \(seed): \(network.complaints.prefix(3))")
        #expect(network.open == [[], []], "seed \(seed): calls that never ended: \(network.open)")
        let unanswered = network.invites.filter { $0.value < 200 }
        #expect(unanswered.isEmpty, "seed \(seed): INVITEs without a final response: \(unanswered)")
        #expect(network.agents.map(\.stateCount) == [0, 0], "seed \(seed): state is left")
        let sends = network.sends
        network.advance(400_000)
        #expect(network.sends == sends, "seed \(seed): sent after everything had ended")
        #expect(started > 0)
    }

    @Test("without loss calls do come about") func callsComeAbout() throws {
        var answered = 0
        for seed in 100..<110 {
            let network = Network(seed: UInt64(seed), lossPercent: 0)
            var started = 0
            for _ in 0..<60 {
                act(network, &started)
                network.collect()
                network.advance(300)
            }
            answered += network.answeredCalls
        }
        #expect(answered > 20, "only \(answered) calls were answered in ten runs")
    }

    private func act(_ network: Network, _ started: inout Int) {
        let index = Int(network.random.next() % 2)
        let agent = network.agents[index]
        let now = network.now
        let calls = network.open[index].sorted { $0.number < $1.number }
        if network.open[index].count < 3, network.chance(30) {
            let other = network.addresses[1 - index]
            if let target = URI("sip:x@\(other)"),
                let call = try? agent.invite(target, body: network.chance(80) ? offer : nil, now: now)
            {
                started += 1
                network.open[index].insert(call)
            }
            return
        }
        if let owed = network.needsAnswer.popLast(), network.chance(80) {
            try? network.agents[owed.agent].acknowledge(owed.call, body: answerBody, now: now)
            return
        }
        guard let call = network.pick(calls) else { return }
        switch network.random.next() % 17 {
        case 0: try? agent.hangUp(call, now: now)
        case 1: try? agent.reject(call, status: 486, now: now)
        case 2: try? agent.reject(call, status: 302, contacts: [], now: now)
        case 3: try? agent.ring(call, now: now)
        case 4: try? agent.ring(call, status: 183, body: answerBody, now: now)
        case 5, 6, 7, 8, 9: try? agent.answer(call, body: answerBody, now: now)
        case 10: try? agent.modify(call, body: network.chance(80) ? offer : nil, now: now)
        case 11: try? agent.modify(call, body: offer, usesUpdate: true, now: now)
        case 12: try? agent.sendInfo(call, body: Body(contentType: "a/b", bytes: [1]), now: now)
        case 15: try? agent.sendText(call, body: Body(contentType: "text/plain", bytes: [65]), now: now)
        case 13: if let target = URI("sip:c@192.0.2.3") { try? agent.transfer(call, to: target, now: now) }
        case 14:
            if network.chance(50) {
                try? agent.acceptTransfer(call, now: now)
            } else {
                try? agent.rejectTransfer(call, now: now)
            }
        default: try? agent.reportTransfer(call, status: network.chance(50) ? 180 : 200, now: now)
        }
    }
}
