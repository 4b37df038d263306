import ICE

/// Candidates that come after the offer, or a restart: `application/trickle-ice-sdpfrag` (RFC 8840 section 9).
package struct TrickleFragment {
    package let candidates: [TrickledCandidate]
    /// Who the browser is from now on; nil: who it was.
    package let restart: ICECredentials?
    /// What it says of who the browser is.
    private let credentials: ICECredentials?

    /// Lines that are read at most.
    static let mostLines = 512

    /// - Parameter userFragment: of the offer, or of the last restart.
    /// - Throws: it is far too long, or restarts without a password.
    package init(_ body: [UInt8], userFragment: String) throws(SoftphoneError) {
        let lines = body.split(separator: UInt8(ascii: "\n"))
        guard lines.count <= Self.mostLines else { throw .request("the fragment has more than \(Self.mostLines) lines") }
        var candidates: [TrickledCandidate] = []
        var (fragment, password) = (userFragment, "")
        for line in lines {
            let text = String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
            if text.hasPrefix("a=candidate:") {
                candidates.append(.line(String(text.dropFirst(12))))
            } else if text == "a=end-of-candidates" {
                candidates.append(.end)
            } else if text.hasPrefix("a=ice-ufrag:") {
                fragment = String(text.dropFirst(12))
            } else if text.hasPrefix("a=ice-pwd:") {
                password = String(text.dropFirst(10))
            }
        }
        self.candidates = candidates
        credentials = ICECredentials(userFragment: fragment, password: password)
        guard fragment != userFragment else {
            restart = nil
            return
        }
        restart = credentials
        guard restart != nil else {
            throw .request("the fragment restarts ICE without an a=ice-pwd that can be used (RFC 8839 section 5.4)")
        }
    }

    /// Whether it says nothing but who the browser is since a restart.
    /// - Parameter restart: who it has said to be.
    package func repeats(_ restart: ICECredentials) -> Bool { candidates.isEmpty && credentials == restart }

    /// A fragment for the other side, of the one line that the answer took; nil without anything to tell.
    /// - Parameter credentials: who we are after a restart.
    package static func text(_ candidates: [TrickledCandidate], as credentials: ICECredentials? = nil) -> String? {
        guard !candidates.isEmpty || credentials != nil else { return nil }
        let identity = credentials.map { ["a=ice-ufrag:\($0.userFragment)", "a=ice-pwd:\($0.password)"] } ?? []
        let lines = candidates.map { candidate in
            switch candidate {
            case .line(let text): "a=candidate:\(text)"
            case .end: "a=end-of-candidates"
            }
        }
        return (identity + ["m=audio 9 UDP/TLS/RTP/SAVPF 0"] + lines).map { $0 + "\r\n" }.joined()
    }
}
