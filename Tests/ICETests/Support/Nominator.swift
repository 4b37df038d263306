import ICE
import Link
import Realtime

/// A controlling agent that nominates as it likes: what browsers do, and what RFC 5245 called aggressive.
final class Nominator: NetworkNode {
    let addresses = [ip("203.0.113.9"), ip("2001:db8::9")]
    let credentials: ICECredentials
    private let network: SimulatedNetwork
    private var number: UInt128 = 1

    init(in network: SimulatedNetwork) {
        guard let credentials = ICECredentials(userFragment: "nomi", password: "apasswordofthenominator") else {
            preconditionFailure("credentials")
        }
        self.credentials = credentials
        self.network = network
        network.add(self)
    }

    func take(_ datagram: [UInt8], from source: SocketAddress, to destination: SocketAddress, now: HostTime) {
        let key = STUNKey(shortTerm: credentials.password)
        guard let message = try? STUNMessage(datagram), message.messageClass == .request, message.verify(key) == .valid else {
            return
        }
        var answer = STUNBuilder(.success, .binding, message.transaction)
        answer.add(.xorMappedAddress, source)
        network.send(answer.finished(key, fingerprint: true), from: destination, of: self, to: source)
    }

    /// Sends a check by the pair of a family.
    func check(_ end: Endpoint, _ family: IPAddress.Family, nominates: Bool) {
        let own = end.agent.localCredentials
        var check = STUNBuilder(.request, .binding, TransactionID(bits: number))
        number += 1
        check.add(.username, text: "\(own.userFragment):nomi")
        check.add(.priority, number: UInt32(family == .v6 ? 0x6e00_ffff : 0x6e00_fffe))
        check.add(.iceControlling, number: UInt64.max)
        if nominates { check.add(.useCandidate, []) }
        guard let source = addresses.first(where: { $0.family == family }),
            let destination = end.addresses.first(where: { $0.family == family })
        else { return }
        network.send(
            check.finished(STUNKey(shortTerm: own.password), fingerprint: true), from: SocketAddress(source, port: 7000),
            of: self, to: SocketAddress(destination, port: end.port))
    }
}
