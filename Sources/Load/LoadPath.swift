import Codecs
import Link
import Network
import Settings
import Signalling
import Softphone

/// Where the packets of a call go, and what those that come back are known by: as its URI says, or as signalling agreed on it.
package struct LoadPath: Sendable, Equatable {
    package let remote: SocketAddress
    /// Where RTCP goes; nil: nowhere.
    package let control: SocketAddress?
    /// Of what is sent.
    package private(set) var payloadType: UInt8
    /// Of what comes back.
    package private(set) var receivedTypes: [UInt8]

    /// Finds the host of a raw call.
    /// - Throws: it is unknown.
    init(_ uri: CallURI, _ codec: Codec, bind: IPAddress?) throws(SoftphoneError) {
        let addresses: [SocketAddress]
        do { addresses = try resolve(host: uri.host, port: uri.port) } catch { throw .network(error) }
        remote = reachable(addresses, from: bind).first ?? addresses[0]
        let controlPort: UInt16 =
            switch uri.rtcp {
            case .mux: uri.port
            case .next: uri.port &+ 1
            case .port(let port): port
            }
        control = SocketAddress(remote.address, port: controlPort, scope: remote.scope)
        payloadType = uri.payloadType ?? codec.defaultPayloadType
        receivedTypes = [payloadType]
    }

    /// The same way for another codec, by the number that it usually has.
    func carrying(_ codec: Codec) -> LoadPath {
        var path = self
        (path.payloadType, path.receivedTypes) = (codec.defaultPayloadType, [codec.defaultPayloadType])
        return path
    }

    /// What signalling agreed on; nil: nothing is to be sent, for the other side has no address or does not want to hear.
    package init?(_ agreed: MediaAgreement) {
        guard agreed.sends, let remote = agreed.remote else { return nil }
        self.remote = remote
        control = agreed.remoteControl
        payloadType = agreed.payloadType
        receivedTypes = agreed.receivedCodecs.filter { $0.value == agreed.codec }.keys.sorted()
    }
}
