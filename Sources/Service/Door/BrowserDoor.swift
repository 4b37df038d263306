import Link
import Realtime
import SecureRTP
import Settings
import Softphone

/// Where one browser's call is waited for: a page, and what the page, or another program, posts its offer to.
public final class BrowserDoor: Sendable {
    /// More than the connections of one page, and of strangers beside it, need.
    private static let descriptors = 256

    /// Where the page is.
    public let url: String
    /// Whoever calls bears it.
    public let token: String
    private let visit: BrowserVisit
    private let server: HTTPServer

    /// Opens the port: the page is there from now on.
    /// - Parameters:
    ///   - uri: where it is waited.
    ///   - configuration: has the certificate, and whether somebody chose a codec.
    ///   - media: of the call.
    ///   - echoes: whether what is heard is sent back.
    /// - Throws: why nobody can be waited for there.
    public init(
        _ uri: BrowserURI, _ configuration: Configuration, media: MediaRequest, echoes: Bool
    ) throws(SoftphoneError) {
        let isChosen = configuration.source(of: \.media.codec) != .default
        let codecs = isChosen ? [media.codec] : SIPRequest.usualCodecs
        let isLocal = uri.address.isLoopback
        visit = try BrowserVisit(allow: media.allow) { (offer) async throws(SoftphoneError) in
            var request = BrowserRequest(offer: offer, codecs: codecs, media: media)
            (request.echoes, request.isLocal) = (echoes, isLocal)
            return try await Softphone().answer(request)
        }
        token = Gate.newToken()
        let gate = Gate(
            tokens: [.admin: token], isOnLoopback: isLocal, remedy: "what stands behind #token= in the address that was printed"
        )
        server = try HTTPServer.listen(
            uri.address, uri.port, RequestDesk(Router(DoorRoutes.all, gate: gate), visit), nil,
            uri.isSecure ? Self.certificate(configuration) : nil, descriptors: Self.descriptors,
            chosenBy: "the URI to listen on")
        url = server.url(at: uri.address, isSecure: uri.isSecure) + "/"
        // The call does not wait for them.
        media.traversal.prepare()
        do { try SRTPLink.prepare() } catch { throw .encryption("\(error)") }
        server.start()
    }

    private static func certificate(_ configuration: Configuration) throws(SoftphoneError) -> CertificateKeeper {
        guard let chain = configuration[\.tls.certificate] else {
            throw .request("https needs a certificate; name it with --tls-certificate, and its key with --tls-key")
        }
        do throws(CertificateFilesFailure) {
            return try CertificateKeeper(CertificateFiles(chain: chain, key: configuration[\.tls.key] ?? chain))
        } catch {
            throw .request("\(error.text); name the files of both with --tls-certificate and --tls-key")
        }
    }

    /// Waits until a browser calls. What follows is told by the call.
    /// - Returns: the call, which has begun.
    public func waitForCall() -> any LiveCall { visit.waitForCall() }

    /// Closes the port and every connection.
    public func close() { _ = try? waitFor { [server] in await server.stop() } }
}
