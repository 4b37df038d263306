import Settings
import Softphone
import Testing

@Suite("What the configuration says of NATs") struct NATTraversalTests {
    private func traversal(_ environment: [String: String]) throws -> NATTraversal {
        try MediaRequest(Configuration(environment: environment.merging(["YODEL_DEVICE": "null"]) { $1 })).traversal
    }

    @Test("ICE is offered by itself where a server is named, always when it is on, never when it is off")
    func offered() throws {
        let stun = ["YODEL_STUN": "192.0.2.1"]
        #expect(try !traversal([:]).isOffered && traversal(stun).isOffered)
        #expect(try traversal(["YODEL_ICE": "on"]).isOffered)
        #expect(try !traversal(stun.merging(["YODEL_ICE": "off"]) { $1 }).isOffered)
    }

    @Test("relays alone want a relay, and its password a file that can be read")
    func refused() throws {
        #expect(throws: SoftphoneError.self) { try traversal(["YODEL_ICE": "relay"]) }
        #expect(try traversal(["YODEL_ICE": "relay", "YODEL_TURN": "192.0.2.1"]).isOffered)
        #expect(throws: SoftphoneError.self) {
            try traversal(["YODEL_TURN": "192.0.2.1", "YODEL_TURN_PASSWORD_FILE": "/nowhere/password"])
        }
    }

    @Test("an account's choice counts unless somebody chose for this run")
    func accounts() throws {
        #expect(try traversal([:]).followsAccounts && !traversal(["YODEL_ICE": "on"]).followsAccounts)
    }

    @Test("no peer may send our checks to the ports of the service")
    func protectedPorts() throws {
        let ports = [
            "YODEL_SOFTPHONE_PORT": "8470", "YODEL_SOFTPHONE_SIP_PORT": "5062", "YODEL_SOFTPHONE_METRICS_PORT": "9400",
        ]
        #expect(try traversal(ports).protectedPorts == [8470, 5062, 5063, 9400])
        #expect(try traversal(["YODEL_SOFTPHONE_PORT": "0"]).protectedPorts.isEmpty)
    }
}
