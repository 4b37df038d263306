import Reporting
import Signalling

/// Texts to the other side of a call.
extension SIPLiveCall {
    /// Longer ones would not fit into a datagram with the rest of the message (RFC 3428 section 8), octets.
    private static let longestText = 1_000

    func send(text: String) throws(SoftphoneError) {
        guard let id, isAnswered, reason == nil else {
            throw .state("a text goes to a call that is answered; wait until it is")
        }
        guard !text.isEmpty, text.utf8.count <= Self.longestText else {
            throw .request("a text has 1 to \(Self.longestText) octets, not \(text.utf8.count); send it in parts")
        }
        signalling.send(text: text, in: id)
    }

    func textAnswered(_ text: String, _ code: Int, _ reason: String) {
        pending.append(
            code < 300
                ? .textSent(to: remoteURI ?? "", text: text)
                : .warning("the other side did not take the text '\(text)': \(code) \(reason)"))
    }
}
