import Codecs
import Link
import Settings

/// A call from person to person that somebody wants, or such calls to be waited for. Every value is resolved; nothing has been started
/// yet.
public struct PeerRequest: Sendable {
    public enum Purpose: Sendable, Hashable {
        case call(PeerURI)
        case listen(PeerURI)
    }

    public var purpose: Purpose
    /// What is offered and answered, the most wanted first.
    public var codecs: [Codec]
    public var media: MediaRequest
    /// Sends back what is heard in place of the microphone.
    public var echoes = false
    /// Whether somebody can be asked about those who are not known (`LiveCall.answer` is the yes); else they are refused.
    public var asks = false
    /// Whether those who are not known are remembered without a question. A changed key is refused all the same.
    public var acceptsNew = false
    /// Where the own key and the known ones are.
    public var folder: PeerFolder

    public init(_ purpose: Purpose, codecs: [Codec], media: MediaRequest, folder: PeerFolder) {
        (self.purpose, self.codecs, self.media, self.folder) = (purpose, codecs, media, folder)
    }

    /// Whether somebody at `address` may call.
    func mayCall(from address: SocketAddress) -> Bool {
        media.allow.isEmpty || media.allow.contains { $0.contains(address.address) }
    }
}
