import Glibc
import Link
import Testing

import Diagnosis

@Suite("Ports are looked at") struct PortTests {
    private let loopback = IPAddress(v4: 0x7f00_0001)
    private let key = "softphone.sip_port"

    /// Has `body` use a port at which somebody listens for streams.
    private func withListener(_ body: (UInt16) throws -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        try #require(result == 0)
        try body(UInt16(bigEndian: address.sin_port))
    }

    @Test("one that is taken is trouble, also that of TLS behind the other one")
    func taken() throws {
        try withListener { port in
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
