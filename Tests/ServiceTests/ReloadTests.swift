import Foundation
import Reporting
import Settings
import Softphone
import Testing

import Service

@Suite("A configuration that is read again") struct ReloadTests {
    /// A configuration in a folder, and a service that reads it again.
    private struct Place {
        let events = EventSpool(epoch: "e1")
        let bench: Bench
        let reloader: Reloader
        let live: LiveSettings
        static let token = "token-of-the-first-file"

        /// - Parameter takesAccounts: whether the telephone takes new accounts.
        init(_ folder: String, takesAccounts: Bool = true) throws {
            try Self.write(Self.token, folder + "/token")
            try Self.write("0123456789abcdef", folder + "/secret")
            try FileManager.default.createDirectory(atPath: folder + "/spool", withIntermediateDirectories: true)
            try Self.write(Self.configuration(folder), folder + "/yodel.yaml")
            let source = ServiceSource(flags: [], environment: [:], path: folder + "/yodel.yaml")
            let settings = try source.settings(
                Configuration(flags: [], environment: [:], explicitPath: folder + "/yodel.yaml"))
            let desk = WebhookDesk(events, folder: folder + "/spool", byteLimit: 100_000)
            bench = Bench(tokens: [.admin: Self.token], webhooks: desk)
            try desk.change([WebhookSettings("crm", url: "http://127.0.0.1:9/", secret: "0123456789abcdef")])
            live = LiveSettings(settings)
            reloader = Reloader(live, core: bench.core, gate: bench.gate, ownToken: nil) {
                (_) throws(SoftphoneError) in
                guard takesAccounts else { throw .encryption("there is no SRTP") }
            }
        }

        /// - Parameters:
        ///   - path: of the token's file.
        ///   - account: name of the only account.
        ///   - more: of that account.
        ///   - port: of the webhook's receiver.
        static func configuration(
            _ folder: String, token path: String = "token", account: String = "office", _ more: String = "", port: Int = 9
        ) -> String {
            """
            softphone:
              token_file: \(folder)/\(path)
              webhook_spool: \(folder)/spool
            accounts:
              \(account):
                uri: sip:\(account)@example.com
                \(more)
            webhooks:
              crm:
                url: http://127.0.0.1:\(port)/
                secret_file: \(folder)/secret

            """
        }

        static func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }

        func end() async {
            events.finish()
            await bench.core.webhooks.finish()
        }

        /// Accounts and the receiver's port, and whether a token is good.
        func state(_ token: String) async -> String {
            let headers = ["authorization": "Bearer \(token)"]
            let accounts = await bench.ask("GET", "/v1/accounts", headers: headers).json.text
            let hooks = await bench.ask("GET", "/v1/webhooks", headers: headers).json.text
            return [
                accounts.contains(#""name":"office""#) ? "office" : "", accounts.contains(#""name":"shop""#) ? "shop" : "",
                hooks.contains("127.0.0.1:9\"") ? "9" : "", hooks.contains("127.0.0.1:19\"") ? "19" : "",
            ].joined(separator: " ")
        }
    }

    @Test("all of it is in force at once: accounts, webhooks, tokens")
    func taken() async throws {
        try await withScratchFolder { folder in
            let place = try Place(folder)
            #expect(await place.state(Place.token) == "office  9 ")
            try Place.write("token-of-the-second-file", folder + "/second")
            try Place.write(
                Place.configuration(folder, token: "second", account: "shop", port: 19), folder + "/yodel.yaml")
            let reload = try place.reloader.reload()
            #expect(reload.added == ["shop"] && reload.removed == ["office"], "\(reload)")
            #expect(reload.applied.contains("webhooks") && reload.applied.contains("softphone_token_file"), "\(reload)")
            #expect(await place.state("token-of-the-second-file") == " shop  19")
            #expect(await place.state(Place.token) == "   ", "the old token is none any more")
            await place.end()
        }
    }

    @Test("an account that only has another device stays registered as it is; one with another password registers anew")
    func otherDevice() async throws {
        try await withScratchFolder { folder in
            let place = try Place(folder)
            let accounts = place.bench.core.accounts
            accounts.take(RegistrationReport(account: "office", state: "registered"))
            try Place.write(Place.configuration(folder, "device: echo"), folder + "/yodel.yaml")
            #expect(try place.reloader.reload().changed == ["office"])
            #expect(accounts.all.map(\.state) == ["registered"])
            try Place.write(Place.configuration(folder, "user: other"), folder + "/yodel.yaml")
            #expect(try place.reloader.reload().changed == ["office"])
            #expect(accounts.all.map(\.state) == ["registering"])
            await place.end()
        }
    }

    @Test("a secret of TURN servers that is another one is told, though its file's name is the same")
    func turnSecret() async throws {
        try await withScratchFolder { folder in
            let place = try Place(folder)
            let text = Place.configuration(folder)
                .replacingOccurrences(of: "  token_", with: "  turn_secret_file: \(folder)/turn\n  token_")
            let file = folder + "/yodel.yaml"
            try Place.write("secret-of-the-first-day", folder + "/turn")
            try Place.write(text + "network:\n  turn: [turn.example.com]\n", file)
            let source = ServiceSource(flags: [], environment: [:], path: file)
            let settings = try source.settings(Configuration(flags: [], environment: [:], explicitPath: file))
            let bench = place.bench
            let reloader = Reloader(LiveSettings(settings), core: bench.core, gate: bench.gate, ownToken: nil) { _ in }
            #expect(try reloader.reload().applied == [])
            try Place.write("secret-of-the-second-day", folder + "/turn")
            #expect(try reloader.reload().applied == ["turn_secret"])
            #expect(try reloader.reload().applied == [])
            await place.end()
        }
    }

    @Test("what counts from the next start on is told each time until then, and what is in force is shown")
    func atRestart() async throws {
        try await withScratchFolder { folder in
            let place = try Place(folder)
            func shown() -> String? { place.live.json.value(at: "keys")?.value(at: "codec")?.text("value") }
            let before = shown()
            try Place.write(Place.configuration(folder) + "media:\n  codec: pcmu\n", folder + "/yodel.yaml")
            for _ in 0..<2 {
                #expect(try place.reloader.reload().atRestart == ["codec"])
                #expect(shown() == before && before == "opus")
            }
            try Place.write(Place.configuration(folder), folder + "/yodel.yaml")
            #expect(try place.reloader.reload().atRestart == [])
            await place.end()
        }
    }

    @Test("an error tells no password, and a service that ends reads nothing again")
    func quiet() async throws {
        try await withScratchFolder { folder in
            let place = try Place(folder)
            let text = Place.configuration(folder).replacingOccurrences(of: "http://127", with: "http://user:hunter2@127")
            try Place.write(text, folder + "/yodel.yaml")
            let problem = #expect(throws: Problem.self) { try place.reloader.reload() }
            #expect(problem?.detail.contains("http://user:***@127.0.0.1:9/") == true, "\(problem?.detail ?? "")")
            let count = place.bench.core.spool.position.sequence
            let told = place.bench.core.spool.read(after: 0).items.last
            #expect(told?.type == "reload_failed" && told?.data.contains("hunter2") == false)
            place.bench.core.calls.drain()
            let ending = #expect(throws: Problem.self) { try place.reloader.reload() }
            #expect(ending?.status == 503 && place.bench.core.spool.position.sequence == count)
            await place.end()
        }
    }

    @Test(
        "whatever part is refused, none is in force, and the error says which part",
        arguments: [
            ("no token", "softphone.token_file"), ("short token", "softphone.token_file"), ("webhook", "webhooks.crm.url"),
            ("account", "accounts.shop.announcement"), ("device", "accounts.shop.device"), ("telephone", "SRTP"),
            ("messages", "start the service anew"), ("syntax", "yodel.yaml"),
            ("event", "webhooks.crm.events; did you mean call_created?"), ("program", "softphone.programs cannot be 'foo'"),
            ("name", "accounts[0].name"), ("itself", "own address"), ("target", "accounts.shop.forward_to"),
            ("password", "yodel.yaml:7; use a file that can be read (No such file"), ("empty name", "empty name, "),
        ])
    func refused(part: String, told: String) async throws {
        try await withScratchFolder { folder in
            let place = try Place(folder, takesAccounts: part != "telephone")
            try Place.write(part == "short token" ? "short" : "token-of-the-second-file", folder + "/second")
            var text = Place.configuration(
                folder, token: part == "no token" ? "none" : "second", account: "shop",
                [
                    "account": "announcement: none.wav", "device": "device: 'room:nonsense'",
                    "messages": "unanswered: message", "itself": "forward_to: sip:shop@example.com",
                    "target": "forward_to: mobile", "password": "password_file: /nonexistent/password",
                ][part] ?? "", port: 19)
            if part == "webhook" { text = text.replacingOccurrences(of: "http://127.0.0.1:19/", with: "ftp://127.0.0.1/") }
            if part == "messages" {
                text = text.replacingOccurrences(of: "  token_", with: "  recordings: \(folder)\n  token_")
            }
            if part == "syntax" { text += "softphone: [\n" }
            if part == "event" {
                text = text.replacingOccurrences(of: "    secret_", with: "    events: [call_createdd]\n    secret_")
            }
            if part == "program" { text = text.replacingOccurrences(of: "  token_", with: "  programs: [foo]\n  token_") }
            if part == "empty name" { text = text.replacingOccurrences(of: "  shop:\n", with: "  '':\n") }
            if part == "name" { text = text.replacingOccurrences(of: "  shop:\n    uri", with: "  - uri") }
            try Place.write(text, folder + "/yodel.yaml")
            let problem = #expect(throws: Problem.self) { try place.reloader.reload() }
            #expect(problem?.status == 422 && problem?.detail.contains(told) == true, "\(problem?.detail ?? "")")
            #expect(await place.state(Place.token) == "office  9 ")
            #expect(await place.state("token-of-the-second-file") == "   ")
            #expect(place.bench.core.spool.read(after: 0).items.last?.type == "reload_failed")
            await place.end()
        }
    }
}
