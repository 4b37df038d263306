import Foundation
import Glibc
import Realtime
import Reporting
import Testing

import Service

@Suite("Bundles of calls") struct BundleTests {
    private static let secrets = ["hunter2-hunter2", "token-token-token", "whsec_0123456789"]

    private func configured(_ bench: Bench) {
        bench.core.configure(
            show: {
                .object([
                    JSONMember("uri", .string("sip:101:hunter2-hunter2@example.com")),
                    JSONMember("url", .string("https://hooks.example.com/x?key=anything")),
                    JSONMember("note", .string("is token-token-token")),
                ])
            }, reload: { Reload() }, secrets: { Self.secrets })
    }

    private func bundle(
        _ bench: Bench, _ id: String, _ body: String? = nil, token: String = Bench.token
    ) async throws -> TarArchive {
        let answer = await bench.ask(
            "POST", "/v1/calls/\(id)/bundle", body, headers: ["authorization": "Bearer \(token)"]
        ).response
        #expect(answer.status == 200 && answer.contentType == "application/x-tar")
        guard case .bytes(let bytes) = answer.body else { return TarArchive() }
        return try TarArchive(reading: bytes)
    }

    private func text(_ archive: TarArchive, _ name: String) -> String {
        archive[name].map { String(decoding: $0, as: UTF8.self) } ?? "none"
    }

    @Test("have all that explains the call, and no secret: no password, no token, no query, no key that was pressed")
    func whole() async throws {
        let bench = Bench()
        configured(bench)
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        call.tell(.dtmf(digit: "7", direction: .received))
        call.tell(.warning("the server said hunter2-hunter2"))
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        let archive = try await bundle(bench, id)
        #expect(
            archive.files.map(\.name) == [
                "bundle.json", "call.json", "figures.json", "check.json", "configuration.json", "events.jsonl", "sip.json",
            ])
        let manifest = try JSONValue(reading: text(archive, "bundle.json"))
        #expect(manifest.text("call_id") == id && manifest.text("state") == "ended")
        #expect(manifest.value(at: "sound") == .boolean(false) && manifest.value(at: "captures") == .array([]))
        #expect(try JSONValue(reading: text(archive, "figures.json")).text("reason") == "remote_hangup")
        let events = text(archive, "events.jsonl")
        for type in ["call_created", "call_answered", "dtmf", "warning", "call_ended"] {
            #expect(events.contains("\"type\":\"\(type)\""), "\(type)")
        }
        #expect(events.contains(#""digit":"***""#) && events.contains("the server said ***"))
        let configuration = text(archive, "configuration.json")
        #expect(configuration.contains("sip:101:***@example.com") && configuration.contains("https://hooks.example.com/x?***"))
        let all = archive.files.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        for secret in Self.secrets + ["anything", Bench.token] { #expect(!all.contains(secret), "\(secret)") }
    }

    @Test("have the configuration for administrators alone")
    func roles() async throws {
        let bench = Bench(tokens: [.admin: Bench.token, .operate: "operator-operator-op", .read: "reader-reader-reader"])
        configured(bench)
        let (id, _) = await bench.call()
        #expect(try await bundle(bench, id)["configuration.json"] != nil)
        #expect(try await bundle(bench, id, token: "operator-operator-op")["configuration.json"] == nil)
        let refused = await bench.ask(
            "POST", "/v1/calls/\(id)/bundle", headers: ["authorization": "Bearer reader-reader-reader"])
        #expect(refused.status == 403)
        #expect(await bench.ask("POST", "/v1/calls/e1-99/bundle").status == 404)
        #expect(await bench.ask("POST", "/v1/calls/\(id)/bundle", #"{"sound": "yes"}"#).status == 400)
    }

    @Test("have the packets as they are where sound is wanted, and none that cannot be blanked where it is not")
    func captures() async throws {
        let bench = Bench()
        let (id, call) = await bench.call()
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-bundle-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("what was said".utf8).write(to: URL(fileURLWithPath: path))
        call.captureFiles.withLock { $0 = [path] }
        #expect(text(try await bundle(bench, id, #"{"sound": true}"#), "media-1.pcapng") == "what was said")
        #expect(try await bundle(bench, id, #"{"sound": false}"#)["media-1.pcapng"] == [])
        // They are known when the call is over.
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(text(try await bundle(bench, id, #"{"sound": true}"#), "media-1.pcapng") == "what was said")
    }

    @Test(
        "mask what looks like a secret wherever it stands, and leave the rest",
        arguments: [
            ("wss://u:pw@h/x", "wss://u:***@h/x"), ("see https://h/a?b=c, or", "see https://h/a?*** or"),
            ("HTTP://h/?q", "HTTP://h/?***"),
            ("Signal=5\r\nDuration=160", "Signal=***\r\nDuration=160"), ("no Signal=5", "no Signal=5"),
            (
                "INFO sip:a SIP/2.0\nContent-Type: application/dtmf\nContent-Length: 1\n\n5",
                "INFO sip:a SIP/2.0\nContent-Type: application/dtmf\nContent-Length: 1\n\n***"
            ),
            ("c:Application/DTMF; a=b\n\n\n#\n", "c:Application/DTMF; a=b\n\n***"),
            ("c: application/dtmf\nSubject: 5", "c: application/dtmf\nSubject: 5"),
            ("a hunter2 b", "a *** b"),
            ("sip:101@example.com", "sip:101@example.com"), ("abc", "abc"),
        ])
    func masked(given: String, shown: String) {
        let redaction = Redaction(secrets: ["hunter2", "abc", ""])
        #expect(redaction.redacted(.string(given)) == .string(shown))
    }

    @Test(
        "a long text of somebody else's without secrets is soon gone through, and stays as it is",
        arguments: ["a", "sip:", "http://", "Signal= ", "sip:a@", "c:application/dtmf\n"])
    func long(piece: String) {
        let text = String(repeating: piece, count: 30_000 / piece.count)
        #expect(Redaction(secrets: ["hunter2"]).redacted(.string(text)) == .string(text))
    }

    @Test("a secret within a longer one is masked as a part of that")
    func nested() {
        let redaction = Redaction(secrets: ["word", "password"])
        #expect(redaction.redacted("password word") == "*** ***")
    }
}

@Suite("The folder of captures") struct CaptureShelfTests {
    @Test("keeps the last calls, with all their files, and nothing of anybody else is touched")
    func keeps() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-shelf-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let shelf = CaptureShelf(folder: folder, calls: 3, bytes: 1000)
        var paths: [String] = []
        for number in 0..<5 {
            let time = Timestamp(millisecondsSince1970: 1_763_000_000_000 + Int64(number / 2))
            let path = try #require(shelf.next(at: time))
            paths.append(path)
            // The media began anew.
            try Data("x".utf8).write(to: URL(fileURLWithPath: path.replacingOccurrences(of: ".pcapng", with: "-2.pcapng")))
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/other.pcapng"))
        }
        #expect(Set(paths).count == 5 && paths.sorted() == paths)
        let kept = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        let wanted = paths.suffix(3).map { String($0.split(separator: "/").last ?? "") }
        #expect(
            kept == Set(wanted + wanted.map { $0.replacingOccurrences(of: ".pcapng", with: "-2.pcapng") } + ["other.pcapng"]))
        // Calls that only ring push none out; there is room for one that does more.
        for number in 0..<10 { _ = shelf.next(at: Timestamp(millisecondsSince1970: 1_763_000_100_000 + Int64(number))) }
        let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(left.isSuperset(of: wanted.suffix(2)) && !left.contains(wanted[0]) && left.count <= 2 * 2 + 1 + 4)
        var status = stat()
        #expect(stat(paths[4], &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a call's place is looked for when its media begin, and is the same when they begin anew")
    func place() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-shelf-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let shelf = CaptureShelf(folder: folder, calls: 3, bytes: 1000)
        let (one, other) = (shelf.place(), shelf.place())
        #expect(!FileManager.default.fileExists(atPath: folder), "nothing is asked of the disk before")
        let path = try #require(one())
        #expect(one() == path && other() != path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
    }

    @Test("that cannot be written to has no call captured")
    func nowhere() {
        let shelf = CaptureShelf(folder: "/proc/nowhere", calls: 3, bytes: 1000)
        #expect(shelf.next() == nil)
        #expect(shelf.place()() == nil)
    }
}
