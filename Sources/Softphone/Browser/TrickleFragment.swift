/// Candidates that come after the offer: `application/trickle-ice-sdpfrag` (RFC 8840 section 9).
package struct TrickleFragment {
    package let candidates: [TrickledCandidate]

    /// Lines that are read at most.
    static let mostLines = 512

    /// - `userFragment`: of the offer.
    /// - Throws: it is of another generation, which would restart ICE, or far too long.
    package init(_ body: [UInt8], userFragment: String) throws(SoftphoneError) {
        let lines = body.split(separator: UInt8(ascii: "\n"))
        guard lines.count <= Self.mostLines else { throw .request("the fragment has more than \(Self.mostLines) lines") }
        var candidates: [TrickledCandidate] = []
        for line in lines {
            let text = String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
            if text.hasPrefix("a=candidate:") {
                candidates.append(.line(String(text.dropFirst(12))))
            } else if text == "a=end-of-candidates" {
                candidates.append(.end)
            } else if text.hasPrefix("a=ice-ufrag:"), text.dropFirst(12) != userFragment {
                throw .request(
                    "the fragment has another a=ice-ufrag than the offer: restarting ICE is not done here; call anew")
            }
        }
        self.candidates = candidates
    }
}
