import Signalling
import Testing

@Suite("Calls that come to nothing")
struct FailureTests {
    @Test(
        "texts that are no URI, and accounts that are not there, end at once",
        arguments: [
            "", "hello", "sip:", "http://example.com/", "tel:+49301234", "sip:a@b c", "sip:[::1",
        ])
    func badTargets(target: String) async throws {
        let phone = try Phone()
        _ = phone.signalling.invite(OutgoingCall(target: target, media: LocalPorts(port: 40_000)))
        #expect(try await phone.ended().reason == .badTarget)
        await phone.close()
    }

    @Test("an account that nobody configured ends the call at once")
    func unknownAccount() async throws {
        let phone = try Phone()
        _ = phone.signalling.invite(
            OutgoingCall(target: "sip:a@127.0.0.1", account: "none", media: LocalPorts(port: 40_000)))
        #expect(try await phone.ended().reason == .badTarget)
        await phone.close()
    }

    @Test("a refused TCP connection ends the call with its reason")
    func refusedConnection() async throws {
        let phone = try Phone()
        _ = phone.signalling.invite(
            OutgoingCall(target: "sip:a@127.0.0.1:1;transport=tcp", media: LocalPorts(port: 40_000)))
        let end = try await phone.ended()
        #expect(end.reason == .network && end.text.contains("refused"))
        await phone.close()
    }

    @Test("a transport that nobody has leads nowhere")
    func unknownTransport() async throws {
        let phone = try Phone()
        _ = phone.signalling.invite(
            OutgoingCall(target: "sip:a@127.0.0.1;transport=carrier-pigeon", media: LocalPorts(port: 40_000)))
        #expect(try await phone.ended().reason == .network)
        await phone.close()
    }

    @Test("a name that the name server does not know ends the call as a network failure")
    func unknownHost() async throws {
        // Nobody answers on this port: the resolver gives up after its tries.
        let phone = try Phone { $0.nameServers = ["127.0.0.1:1"] }
        _ = phone.signalling.invite(
            OutgoingCall(target: "sip:a@phone.invalid", media: LocalPorts(port: 40_000)))
        let end = try await phone.ended()
        #expect(end.reason == .network && end.text.contains("phone.invalid"))
        await phone.close()
    }

    @Test(
        "an account whose settings make no sense keeps signalling from starting",
        arguments: [
            AccountSettings(name: "a", uri: "nobody"), AccountSettings(name: "a", uri: "sip:example.com"),
            AccountSettings(name: "a", uri: "sip:a@example.com", registrar: "not a host"),
            AccountSettings(name: "a", uri: "sip:a@example.com", transport: "smoke"),
        ])
    func badAccounts(account: AccountSettings) throws {
        #expect(throws: SignallingStartError.self) { _ = try Phone { $0.accounts = [account] } }
    }

    @Test("a registrar or a proxy is a host as well as a URI, whatever its name begins with")
    func hosts() async throws {
        for server in ["sip.example.invalid", "sips.example.invalid:5061", "sip:127.0.0.1:1", "SIP:127.0.0.1:1", "127.0.0.1:1"]
        {
            let phone = try Phone {
                $0.nameServers = ["127.0.0.1:1"]
                $0.accounts = [
                    AccountSettings(name: "a", uri: "sip:a@example.invalid", registrar: server, outboundProxy: server)
                ]
            }
            await phone.close()
        }
    }
}
