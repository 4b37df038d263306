import Codecs
import Link
import Network
import Settings
import Softphone

/// The calls that are to be made: whom, how many, how fast, how long, with what.
struct LoadPlan {
    /// Calls that one process makes: each has a port of its own, and those for whom the kernel chooses are some 28,000.
    static let callsAllowed = 1...10_000

    let remote: SocketAddress
    /// Where RTCP goes.
    let control: SocketAddress
    let codec: Codec
    let payloadType: UInt8
    let settings: EncoderSettings
    /// Calls in all.
    let calls: Int
    /// New calls a second.
    let rate: Double
    /// How long each lasts, in seconds.
    let holdSeconds: Double
    let speechPath: String?
    let seed: UInt64
    let bind: IPAddress?

    /// - Throws: what makes no sense, or a host that is unknown.
    init(
        _ uri: CallURI, _ media: MediaRequest, calls: Int, rate: Double, holdSeconds: Double, speechPath: String?
    ) throws(SoftphoneError) {
        guard Self.callsAllowed.contains(calls) else {
            throw .request("--calls \(calls) is out of range; give 1 to \(Self.callsAllowed.upperBound)")
        }
        guard rate > 0, rate <= 1000 else { throw .request("--rate \(rate) is out of range; give up to 1000 calls a second") }
        guard holdSeconds >= 1, holdSeconds <= 86_400 else {
            throw .request("--hold \(holdSeconds) is out of range; give 1 to 86400 seconds")
        }
        if uri.takesAnyCodec { throw .request("a load speaks one codec; leave out codec=any") }
        if uri.localPort != nil { throw .request("each call of a load has a port of its own; leave out local") }
        let codec = uri.codec ?? media.codec
        let addresses: [SocketAddress]
        do { addresses = try resolve(host: uri.host, port: uri.port) } catch { throw .network(error) }
        remote = reachable(addresses, from: media.bind).first ?? addresses[0]
        let controlPort: UInt16 =
            switch uri.rtcp {
            case .mux: uri.port
            case .next: uri.port &+ 1
            case .port(let port): port
            }
        control = SocketAddress(remote.address, port: controlPort, scope: remote.scope)
        self.codec = codec
        payloadType = uri.payloadType ?? codec.defaultPayloadType
        var settings = media.encoder
        if let milliseconds = uri.packetMilliseconds { settings.frameMilliseconds = milliseconds }
        // A pause that is not sent would be taken for loss.
        settings.dtx = false
        self.settings = settings
        (self.calls, self.rate, self.holdSeconds, self.speechPath) = (calls, rate, holdSeconds, speechPath)
        seed = media.seed ?? .random(in: .min ... .max)
        bind = media.bind
    }
}
