import Dispatch
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite("A call in which nothing is heard") struct SilentCallTests {
    @Test(
        "prints its report when it was answered, though a signal ends it as one without media",
        arguments: [(SIGINT, 130 as Int32), (SIGTERM, 143 as Int32)])
    func report(signal: Int32, status: Int32) throws {
        let telephone = try SilentTelephone()
        let media = ["--codec", "pcmu", "--srtp", "off", "--device", "null", "--no-voice-processing", "--json"]
        let program = try RunningProgram(["call", telephone.uri] + media)
        let told = program.read(until: { $0.contains("call_answered") })
        #expect(told.contains("call_answered"), "\(told) \(program.complaints)")
        if signal == SIGINT { program.interrupt() } else { program.terminate() }
        let rest = program.readAll()
        #expect(program.end(within: hangSeconds) == status)
        #expect(rest.contains(#""type":"report""#), "\(rest) \(program.complaints)")
    }
}

/// Answers every INVITE at once, and sends no sound.
private final class SilentTelephone {
    private let place: LoopbackSocket
    private let readiness: any DispatchSourceRead

    init() throws {
        let place = try LoopbackSocket(isNonBlocking: true)
        self.place = place
        readiness = place.answerAlways { [port = place.port] octets, _ in Self.answer(octets, at: port) }
    }

    deinit { readiness.cancel() }

    var uri: String { "sip:silent@127.0.0.1:\(place.port)" }

    private static func answer(_ octets: ArraySlice<UInt8>, at port: UInt16) -> [UInt8]? {
        let text = String(decoding: octets, as: UTF8.self)
        let isInvite = text.hasPrefix("INVITE ")
        guard isInvite || text.hasPrefix("BYE ") else { return nil }
        func field(_ name: String) -> String {
            let line = text.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") } ?? ""
            return String(line.dropFirst(name.count + 2))
        }
        let to = field("To")
        var lines = ["SIP/2.0 200 OK"] + ["Via", "From", "Call-ID", "CSeq"].map { "\($0): \(field($0))" }
        lines += ["To: \(to)" + (to.contains(";tag=") ? "" : ";tag=silent"), "Contact: <sip:silent@127.0.0.1:\(port)>"]
        var body = ""
        if isInvite {
            lines.append("Content-Type: application/sdp")
            body = [
                "v=0", "o=- 7 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio \(port) RTP/AVP 0", "",
            ].joined(separator: "\r\n")
        }
        lines += ["Content-Length: \(body.utf8.count)", "", body]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
