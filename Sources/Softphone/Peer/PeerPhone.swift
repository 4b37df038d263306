import Link
import Media
import Network
import PeerSignalling
import Realtime
import SecureRTP
import Settings

/// A telephone from person to person: its key, whom it knows, and the port where it waits.
public final class PeerPhone: Sendable {
    let folder: PeerFolder
    let identity: DTLSIdentity
    /// Where the last call was waited for: the next one is waited for there too.
    private let port = Lock<UInt16?>(nil)

    /// - Throws: `SoftphoneError.encryption` without the library, `SoftphoneError.request` where the key cannot be kept.
    init(_ folder: PeerFolder) throws(SoftphoneError) {
        self.folder = folder
        identity = try folder.identity()
        do { try SRTPLink.prepare() } catch { throw .encryption("\(error)") }
    }

    /// By what others know us.
    public var fingerprint: String { "\(identity.fingerprint)" }

    /// The call that was asked for, or the next one to come. One at a time: close it before the next one.
    /// - Throws: what keeps it from being called or waited for.
    public func nextCall(_ request: PeerRequest) throws(SoftphoneError) -> any LiveCall {
        guard !request.codecs.isEmpty else { throw .request("there is no codec to offer; choose one with --codec") }
        let (socket, addresses) = try makeSocket(request)
        let call = try PeerCall(self, request, over: socket, calling: addresses)
        do { return try RunningCall(call) } catch { throw .resources("\(error)") }
    }

    /// - Returns: with the addresses that are called.
    private func makeSocket(
        _ request: PeerRequest
    ) throws(SoftphoneError) -> (socket: UDPLink, addresses: [SocketAddress]) {
        let bind = request.media.bind
        do throws(NetworkError) {
            switch request.purpose {
            case .call(let uri):
                let place = try CalledPlace(host: uri.host, port: uri.port, bind: bind, rtcp: .mux)
                return (place.socket, place.addresses)
            case .listen(let uri):
                let addresses = if let bind { [bind] } else { try resolve(host: uri.host, port: uri.port).map(\.address) }
                let socket = try Softphone().listen(addresses, port.withLock { $0 } ?? uri.port, .mux)
                port.withLock { $0 = socket.local.port }
                return (socket, [])
            }
        } catch {
            throw .network(error)
        }
    }
}

extension Softphone {
    /// A telephone that calls or waits as it is asked to, by the key in `folder`.
    public func connect(_ folder: PeerFolder) throws(SoftphoneError) -> PeerPhone { try PeerPhone(folder) }
}
