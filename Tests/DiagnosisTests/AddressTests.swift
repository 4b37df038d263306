import Link
import Testing

import Diagnosis

@Suite("Addresses are looked at") struct AddressTests {
    private let own = ["127.0.0.1", "192.0.2.5"].compactMap { try? IPAddress($0) }

    private func judge(_ seen: [(String, String)], findsWays: Bool = false) -> Finding? {
        var views = AddressFindings.Views()
        for (place, server) in seen { views.note(place, by: server) }
        return AddressFindings.judge(views, own: own, findsWays: findsWays)
    }

    @Test("an address that is configured and not ours is trouble, with those that are")
    func bound() throws {
        func finding(_ text: String) throws -> Finding {
            AddressFindings.bound(try IPAddress(text), key: "network.bind", own: own)
        }
        #expect(try finding("192.0.2.5").grade == .fine && finding("0.0.0.0").grade == .fine)
        let wrong = try finding("203.0.113.7")
        #expect(wrong.grade == .trouble && wrong.remedy.contains("192.0.2.5") && wrong.remedy.contains("network.bind"))
    }

    @Test("who sees another address than ours is told as a NAT, with what is missing")
    func seen() {
        #expect(judge([]) == nil && judge([("no address", "x")]) == nil)
        #expect(judge([("192.0.2.5:5060", "the registrar")])?.grade == .fine)
        let hidden = judge([("203.0.113.9:40000", "the registrar")])
        #expect(hidden?.grade == .advice && hidden?.remedy.contains("network.stun") == true)
        #expect(judge([("203.0.113.9:40000", "the registrar")], findsWays: true)?.grade == .fine)
    }

    @Test("servers that see us come from different addresses are told apart; one on this machine does not count")
    func different() {
        let two = judge([("203.0.113.9:1", "the registrar"), ("203.0.113.10:2", "the stun server")], findsWays: true)
        #expect(two?.grade == .advice && two?.remedy.contains("network.bind") == true)
        #expect(
            judge([("127.0.0.1:1", "the registrar"), ("203.0.113.10:2", "the stun server")], findsWays: true)?.grade == .fine)
        #expect(
            judge([("[2001:db8::1]:1", "the registrar"), ("192.0.2.5:2", "the stun server")], findsWays: true)?.grade == .fine)
    }
}
