import Link
import TestPrograms
import Testing

import Diagnosis

@Suite("Ports are looked at") struct PortTests {
    private let loopback = IPAddress(v4: 0x7f00_0001)
    private let key = "softphone.sip_port"

    @Test("one that is taken is trouble, also that of TLS behind the other one")
    func taken() throws {
        let listener = try LoopbackSocket(.listening(backlog: 1))
        withExtendedLifetime(listener) {
            let port = listener.port
            let streams = PortFindings.tcp(loopback, port, key: "softphone.port")
            #expect(streams.grade == .trouble && streams.remedy.contains("softphone.port"))
            #expect(PortFindings.sip(loopback, port, key: key).grade == .trouble)
            let secure = PortFindings.tls(loopback, behind: port - 1, key: key)
            #expect(secure.grade == .trouble && secure.remedy.contains(key) && secure.subject.contains("\(port)"))
        }
        #expect(PortFindings.tcp(loopback, 0, key: key).grade == .fine)
    }

    @Test("behind the last one there is none for TLS")
    func last() {
        let secure = PortFindings.tls(loopback, behind: .max, key: key)
        #expect(secure.grade == .trouble && secure.detail.contains("65535") && secure.remedy.contains(key))
    }
}
