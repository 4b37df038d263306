import Foundation
import Reporting
import Testing

import Service

@Suite("Recordings by request") struct RecordingTests {
    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-recordings-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test("no message is begun where callers would fill the disk; a person's recording is")
    func fullDisk() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let full = RecordingShelf(folder: folder, reserve: .max)
        let problem = #expect(throws: Problem.self) { try full.next(of: "e1-1", isMessage: true) }
        #expect(problem?.status == 503 && problem?.detail.contains(folder) == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try full.next(of: "e1-1").name == "e1-1-1.wav")
        let roomy = RecordingShelf(folder: folder, reserve: 0)
        #expect(roomy.shortage == nil)
        #expect(try roomy.next(of: "e1-1", isMessage: true).name == "e1-1-m1.wav")
    }

    @Test("a recording begins, is listed, ends, is handed out and deleted")
    func wholeLife() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = Bench(recordings: folder)
        let (id, call) = await bench.call()
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").status == 409, "nobody has answered yet")
        call.tell(.callAnswered(sipCode: 200))
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)/recording").status == 409)
        let begun = await bench.ask("PUT", "/v1/calls/\(id)/recording")
        let name = begun.json.text("name") ?? ""
        #expect(begun.status == 201 && name == "\(id)-1.wav")
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("recording") == name)
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").status == 409)
        #expect(await bench.ask("DELETE", "/v1/recordings/\(name)").status == 409, "it is being made")
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)/recording").json.text("name") == name)
        #expect(call.asked == ["record \(folder)/\(name)", "record nothing"])
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").json.text("name") == "\(id)-2.wav")
        // What has nothing in it yet is not listed.
        #expect(await bench.ask("GET", "/v1/recordings").json.value(at: "recordings") == .array([]))
        for file in ["\(id)-1.wav", "\(id)-2.wav"] {
            try Data("RIFF".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
        }
        let listed = await bench.ask("GET", "/v1/recordings").json
        guard case .array(let items) = listed.value(at: "recordings") else { return #expect(Bool(false)) }
        #expect(Set(items.compactMap { $0.text("name") }) == ["\(id)-1.wav", "\(id)-2.wav"])
        #expect(items.allSatisfy { $0.text("call_id") == id })
        let file = await bench.ask("GET", "/v1/recordings/\(name)").response
        guard case .file(let path) = file.body else { return #expect(Bool(false)) }
        #expect(file.status == 200 && path == "\(folder)/\(name)")
        #expect(await bench.ask("DELETE", "/v1/recordings/\(name)").status == 204)
        #expect(await bench.ask("DELETE", "/v1/recordings/\(name)").status == 404)
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.value(at: "recording") == .null)
        #expect(await bench.ask("DELETE", "/v1/recordings/\(id)-2.wav").status == 204)
    }

    @Test(
        "a recording that ends with its media is told, and another one may begin; a recorder as the audio end goes on in another file"
    )
    func endsBefore() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = Bench(recordings: folder)
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").status == 201)
        call.tell(.recordingEnded(.mediaRestarted))
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.value(at: "recording") == .null)
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").json.text("name") == "\(id)-2.wav")
        let name = "\(id)-3.wav"
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/audio", #"{"record": true}"#).status == 200)
        call.tell(.recordingEnded(.mediaRestarted))
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("recording") == name)
        for file in [name, "\(id)-3-2.wav"] { try Data("RIFF".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file)")) }
        let listed = await bench.ask("GET", "/v1/recordings").json.text
        #expect(listed.contains(#""name":"\#(id)-3-2.wav","call_id":"\#(id)""#), "\(listed)")
        #expect(await bench.ask("DELETE", "/v1/recordings/\(id)-3-2.wav").status == 409, "it is being made")
        call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(await bench.ask("DELETE", "/v1/recordings/\(id)-3-2.wav").status == 204)
    }

    @Test("that a recording begins and ends is told, and in what a new subscriber is told at first")
    func told() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bench = Bench(recordings: folder)
        let (id, call) = await bench.call()
        call.tell(.callAnswered(sipCode: 200))
        func isInSnapshot() -> Bool {
            var stream = bench.core.stream(after: nil)
            return stream.next().text.contains("\(id)-1.wav")
        }
        #expect(!isInSnapshot())
        #expect(await bench.ask("PUT", "/v1/calls/\(id)/recording").status == 201)
        #expect(isInSnapshot())
        #expect(await bench.ask("DELETE", "/v1/calls/\(id)/recording").status == 200)
        #expect(!isInSnapshot())
        let told = bench.core.spool.read(after: 0).items.filter { $0.type.hasPrefix("call_recording") }
        #expect(told.map(\.type) == ["call_recording_started", "call_recording_ended"])
        #expect(told.allSatisfy { $0.data.contains("\(id)-1.wav") } && told.last?.data.contains("requested") == true)
    }

    @Test("no name leads out of the folder, through it, or to a file of somebody else")
    func names() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/secret.wav"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/e1-1-1.wav", withDestinationPath: folder + "/secret.wav")
        try FileManager.default.createDirectory(atPath: folder + "/e1-2-1.wav", withIntermediateDirectories: true)
        let bench = Bench(recordings: folder)
        for (name, status) in [
            ("secret.wav", 404), ("e1-1-1.wav", 404), ("e1-2-1.wav", 404), ("..", 400), ("%2e%2e", 400),
            ("..%2fsecret.wav", 404),
            ("e1-1-1.wav%00", 400), ("e1-9-1.wav", 404),
        ] {
            #expect(await bench.ask("GET", "/v1/recordings/\(name)").status == status, "\(name)")
            #expect(await bench.ask("DELETE", "/v1/recordings/\(name)").status == status, "\(name)")
        }
        #expect(await bench.ask("GET", "/v1/recordings").json.value(at: "recordings") == .array([]))
        #expect(FileManager.default.fileExists(atPath: folder + "/secret.wav"))
    }

    @Test("without a folder, or with one that is not there, a call goes on unrecorded")
    func refused() async {
        let none = Bench()
        #expect(await none.ask("GET", "/v1/recordings").status == 409)
        let gone = Bench(recordings: "/nonexistent/recordings")
        let (id, call) = await gone.call()
        call.tell(.callAnswered(sipCode: 200))
        #expect(await gone.ask("PUT", "/v1/calls/\(id)/recording").status == 503)
        #expect(await gone.ask("GET", "/v1/calls/\(id)").json.value(at: "recording") == .null)
        #expect(await gone.ask("GET", "/v1/calls/\(id)").json.text("state") == "active")
    }
}
