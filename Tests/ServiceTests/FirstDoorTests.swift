import Foundation
import Realtime
import Reporting
import Softphone
import Synchronization
import Testing

import Service

@Suite("The first link") struct FirstDoorTests {
    private let start = HostTime.monotonicNow()

    private func made(onEntered: @escaping @Sendable () -> Void = {}) -> FirstDoor {
        FirstDoor(token: Bench.token, now: start, onEntered: onEntered)
    }

    private func secret(_ door: FirstDoor) -> String {
        String(door.link(to: "http://127.0.0.1:8470").split(separator: "#").last ?? "")
    }

    private func outcome(_ door: FirstDoor, _ given: String, after milliseconds: Double) -> Int {
        do throws(Problem) {
            try door.enter(given, now: start.advanced(byMilliseconds: milliseconds))
            return 204
        } catch {
            return error.status
        }
    }

    @Test("the link has the secret behind the hash, and neither the token nor what another door has")
    func link() {
        let (one, other) = (made(), made())
        #expect(one.link(to: "http://127.0.0.1:8470").hasPrefix("http://127.0.0.1:8470/#") && secret(one).utf8.count == 64)
        #expect(secret(one) != secret(other) && !one.link(to: "x").contains(Bench.token))
    }

    @Test("the secret counts once, and is kept then and only then")
    func once() {
        let count = Counter()
        let door = made { count.add() }
        #expect(outcome(door, secret(door), after: 599_999) == 204)
        #expect(outcome(door, secret(door), after: 1) == 410 && count.value == 1)
    }

    @Test("ten minutes after the start it does not count, whoever has it")
    func expired() {
        let count = Counter()
        let door = made { count.add() }
        #expect(outcome(door, secret(door), after: 600_000) == 410 && count.value == 0)
    }

    @Test("what is not the secret is refused, and takes nothing from whoever has it")
    func wrong() {
        let door = made()
        let right = secret(door)
        for given in ["", "x", String(right.dropLast()), right + "0", String(right.reversed()), Bench.token]
        where given != right {
            #expect(outcome(door, given, after: 1) == 403, "\(given)")
        }
        #expect(outcome(door, right, after: 2) == 204)
    }

    @Test("of many who have it at once one comes in")
    func race() async {
        let count = Counter()
        let door = made { count.add() }
        let right = secret(door)
        let statuses = await withTaskGroup(of: Int.self) { tasks in
            for _ in 0..<16 { tasks.addTask { outcome(door, right, after: 1) } }
            return await tasks.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 204 } == 1 && statuses.count { $0 == 410 } == 15 && count.value == 1)
    }

    private func ask(_ bench: Bench, _ body: String, host: String = "127.0.0.1:8470") async -> (Int, JSONValue, String?) {
        let answer = await bench.ask("POST", "/v1/session", body, headers: ["authorization": "", "host": host])
        return (answer.status, answer.json, answer.response.headers.first { $0.name == "Set-Cookie" }?.value)
    }

    @Test("the page gets a session for it, by which its own requests count, and nobody else's")
    func session() async throws {
        // It counts from now on; the routes look at the clock.
        let door = FirstDoor(token: Bench.token, now: .monotonicNow()) {}
        let bench = Bench(firstDoor: door)
        let (status, _, header) = await ask(bench, #"{"secret": "\#(secret(door))"}"#)
        let set = try #require(header)
        #expect(status == 204 && set.contains("; HttpOnly; SameSite=Strict"))
        let cookie = String(set.prefix { $0 != ";" })
        #expect(cookie == "yodel-8470=\(Bench.token)")
        func asked(_ headers: [String: String], _ method: String = "GET") async -> Int {
            let own = ["authorization": "", "host": "127.0.0.1:8470"]
            return await bench.ask(method, "/v1/calls", headers: own.merging(headers) { _, new in new }).status
        }
        let page = ["cookie": "a=b; \(cookie); c=d", "sec-fetch-site": "same-origin"]
        #expect(await asked(page) == 200)
        for site in ["cross-site", "same-site", "none", ""] {
            #expect(await asked(["cookie": cookie, "sec-fetch-site": site]) == 401, "\(site)")
        }
        #expect(await asked(["cookie": cookie]) == 401, "no browser's")
        #expect(await asked(["cookie": cookie + "x", "sec-fetch-site": "same-origin"]) == 401)
        #expect(await asked(["cookie": cookie, "sec-fetch-site": "same-origin", "host": "127.0.0.1:8471"]) == 401)
        let (again, problem, none) = await ask(bench, #"{"secret": "\#(secret(door))"}"#)
        #expect(again == 410 && problem.text("at") == "secret" && none == nil)
    }

    @Test("a page from elsewhere gets no session, even with the secret, which stays good")
    func elsewhere() async {
        let door = FirstDoor(token: Bench.token, now: .monotonicNow()) {}
        let bench = Bench(firstDoor: door)
        let body = #"{"secret": "\#(secret(door))"}"#
        func status(from site: String) async -> Int {
            let headers = ["authorization": "", "host": "127.0.0.1:8470", "sec-fetch-site": site]
            return await bench.ask("POST", "/v1/session", body, headers: headers).status
        }
        for site in ["cross-site", "same-site"] { #expect(await status(from: site) == 403, "\(site)") }
        #expect(await status(from: "same-origin") == 204)
    }

    @Test(
        "a session that came by HTTPS goes by HTTPS alone",
        arguments: [("https://127.0.0.1:8470", true), ("http://127.0.0.1:8470", false), ("null", false)])
    func encrypted(origin: String, isSecure: Bool) async throws {
        let door = FirstDoor(token: Bench.token, now: .monotonicNow()) {}
        let answer = await Bench(firstDoor: door).ask(
            "POST", "/v1/session", #"{"secret": "\#(secret(door))"}"#, headers: ["authorization": "", "origin": origin])
        let set = try #require(answer.response.headers.first { $0.name == "Set-Cookie" }?.value)
        #expect(set.hasSuffix("; Secure") == isSecure)
    }

    @Test("what is no secret is refused, and where there is a token there is no door")
    func refused() async {
        let bench = Bench(firstDoor: made())
        for (body, status) in [("{}", 400), (#"{"secret": 5}"#, 400), (#"{"secret": "x"}"#, 403), (#"{"secret": ""}"#, 403)] {
            #expect(await ask(bench, body).0 == status, "\(body)")
        }
        #expect(await ask(bench, #"{"secret": "x"}"#, host: "evil.example").0 == 421)
        #expect(await ask(Bench(), #"{"secret": "x"}"#).0 == 409)
    }

    @Test("a token is kept once the link was used; the next start has it, and prints no link")
    func kept() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = PeerFolder(path: path)
        let (_, first) = FirstDoor.open(keepingIn: folder, now: start)
        #expect(first != nil && !FileManager.default.fileExists(atPath: path), "a link that nobody opens leaves nothing")
        let (token, second) = FirstDoor.open(keepingIn: folder, now: start)
        let door = try #require(second)
        #expect(outcome(door, secret(door), after: 1) == 204)
        let rights = try FileManager.default.attributesOfItem(atPath: path + "/token")[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let (kept, none) = FirstDoor.open(keepingIn: folder, now: start)
        #expect(kept == token && none == nil)
        let late = try #require(first)
        #expect(outcome(late, secret(late), after: 2) == 204, "the one who was slower is in until his service ends")
        #expect(try folder.token() == token, "and leaves the other's token alone")
    }

    @Test("a token that cannot be read is told with what the service can do about it")
    func unreadable() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path + "/token", withIntermediateDirectories: true)
        let error = #expect(throws: SoftphoneError.self) { try PeerFolder(path: path).token() }
        let told = error?.description ?? ""
        #expect(told.contains("softphone.token_file") && !told.contains("--keys"), "\(told)")
    }

    @Test("a file that holds no token does not count, and a service without a folder has a door each time")
    func unkept() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("short\n".utf8).write(to: URL(fileURLWithPath: path + "/token"))
        let (_, door) = FirstDoor.open(keepingIn: PeerFolder(path: path), now: start)
        let open = try #require(door)
        #expect(outcome(open, secret(open), after: 1) == 204)
        let (one, first) = FirstDoor.open(keepingIn: nil, now: start)
        let (other, second) = FirstDoor.open(keepingIn: nil, now: start)
        #expect(first != nil && second != nil && one != other)
    }
}

/// Counts from any thread.
private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    func add() { count.add(1, ordering: .sequentiallyConsistent) }
}
