import Foundation
import Reporting
import Settings
import Testing

/// What a test may configure: a section whose names begin with its own, and things of which there are many.
private struct TestKeys: ConfigurationSchema {
    let web = WebKeys()
    let trunks = ConfigurationCollection<TrunkKeys>(help: "Lines to others")
}

private struct WebKeys: ConfigurationSection {
    static let name = "web"
    static let title = "Web"
    let port = ConfigurationKey("web_port", .integer(1...65_535, placeholder: "port"), default: 80, help: "Where")
    let hosts = ConfigurationKey(
        "hosts", .list(of: .integer(1...9, placeholder: "n"), expectation: "whole numbers 1...9"), unset: "none", help: "Which")
}

private struct TrunkKeys: ConfigurationSection {
    static let name = "trunks"
    static let title = "Trunks"
    let uri = ConfigurationKey("uri", .text("uri"), unset: "no calls", help: "Whom")
    let expires = ConfigurationKey("expires", .number(1...60, unit: "s", placeholder: "s"), default: 30, help: "How long")
    let codecs = ConfigurationKey(
        "codecs", .list(of: .text("codec"), expectation: "names"), unset: "all", help: "Which codecs")
    let tls = ConfigurationKey("tls", .toggle, default: false, help: "Whether encrypted")
}

private func configured(_ text: String, ending: String = "yaml") throws -> ResolvedConfiguration<TestKeys> {
    let file = try TemporaryFile(text, ending: ending)
    return try ResolvedConfiguration<TestKeys>(environment: [:], explicitPath: file.path)
}

/// The error's text without the file's name.
private func complaint(_ text: String, ending: String = "yaml") -> String? {
    do {
        let file = try TemporaryFile(text, ending: ending)
        do {
            _ = try ResolvedConfiguration<TestKeys>(environment: [:], explicitPath: file.path)
            return nil
        } catch {
            return "\(error)".replacingOccurrences(of: file.path, with: "F")
        }
    } catch {
        return "no file: \(error)"
    }
}

@Suite("Sections, collections and languages of a configuration") struct ConfigurationSchemaTests {
    @Test("A key stands in its section under its short name, or at the top under its full one")
    func sections() throws {
        for text in ["web:\n  port: 8080\n", "web:\n  web_port: 8080\n", "web_port: 8080\n"] {
            #expect(try configured(text)[\.web.port] == 8080, "\(text)")
        }
        #expect(try configured("web:\n")[\.web.port] == 80)
        let environment = ["YODEL_WEB_PORT": "81", "YODEL_HOSTS": "1, 2"]
        let set = try ResolvedConfiguration<TestKeys>(environment: environment)
        #expect(set[\.web.port] == 81 && set[\.web.hosts] == [1, 2])
        #expect(set.source(of: \.web.port) == .environment(variable: "YODEL_WEB_PORT"))
    }

    @Test("Items are a map by name or a list, each with typed keys of its own and its line")
    func collections() throws {
        let map = "trunks:\n  work:\n    uri: sip:a@b\n    codecs: [opus, pcmu]\n  home:\n    tls: true\n"
        let items = try configured(map)[\.trunks]
        #expect(items.map(\.name) == ["work", "home"])
        #expect(items[0][\.uri] == "sip:a@b" && items[0][\.expires] == 30 && items[0][\.codecs] == ["opus", "pcmu"])
        #expect(items[1][\.uri] == nil && items[1][\.tls])
        guard case .file(_, let line) = items[1].source else { throw JSONReadError(line: 0, column: 0, reason: "no file") }
        #expect(line == 5)
        let list = try configured("trunks:\n  - name: work\n    uri: x\n  - expires: 2.5\n")[\.trunks]
        #expect(list.map(\.name) == ["work", nil] && list[0][\.uri] == "x" && list[1][\.expires] == 2.5)
        #expect(try configured("trunks:\n")[\.trunks].isEmpty && configured("web_port: 1\n")[\.trunks].isEmpty)
    }

    @Test("JSON says the same as YAML")
    func json() throws {
        let text =
            #"{"web": {"port": 8080, "hosts": [1, "2"]}, "trunks": {"work": {"tls": true, "expires": 1.5, "uri": null}}}"#
        let configuration = try configured(text, ending: "json")
        #expect(configuration[\.web.port] == 8080 && configuration[\.web.hosts] == [1, 2])
        let work = try #require(configuration[\.trunks].first)
        #expect(work.name == "work" && work[\.tls] && work[\.expires] == 1.5 && work[\.uri] == nil)
        #expect(try configured("{}", ending: "JSON")[\.web.port] == 80)
    }

    @Test(
        "What is wrong is told with the nearest name and the line, at every level and in both languages",
        arguments: [
            ("web:\n  prot: 1\n", "yaml", "unknown key web.prot, in F:2; did you mean web.port?"),
            ("wep:\n  port: 1\n", "yaml", "unknown key wep, in F:1; did you mean web?"),
            ("trunks:\n  a:\n    expiers: 1\n", "yaml", "unknown key trunks.a.expiers, in F:3; did you mean trunks.a.expires?"),
            ("trunks:\n  - uri: x\n  - hosts: 1\n", "yaml", "unknown key trunks[1].hosts, in F:3; did you mean web.hosts?"),
            ("web:\n  port: 0\n", "yaml", "web.port cannot be '0', from F:2; use a whole number 1...65535"),
            ("web:\n  hosts:\n    - 1\n    - 77\n", "yaml", "hosts cannot be '77', from F:4; use whole numbers 1...9"),
            ("web:\n  port: 1\nweb_port: 2\n", "yaml", "web_port stands in line 2 already, F:3"),
            ("web: 80\n", "yaml", "web holds no keys, F:1"),
            ("web:\n  port: [1]\n", "yaml", "web.port has no plain value, F:2"),
            ("web:\n  hosts: [[1]]\n", "yaml", "web.hosts is no list of plain values, F:2"),
            ("trunks: 1\n", "yaml", "trunks holds no names, F:1"), ("trunks:\n  a: 1\n", "yaml", "trunks.a holds no keys, F:2"),
            ("trunks:\n  - name: [a]\n", "yaml", "trunks[0].name has no plain value, F:2"),
            ("trunks:\n  - name: a\n  - name: a\n", "yaml", "trunks has a 'a' already, F:3"),
            ("{\n \"web\":\n {\"prot\": 1}}", "json", "unknown key web.prot, in F:3; did you mean web.port?"),
            ("{\"web\": {\n \"hosts\": [1,\n 0]}}", "json", "web.hosts cannot be '0', from F:3; use whole numbers 1...9"),
            ("{\"web\": {\"port\": true}}", "json", "web.port cannot be 'true', from F:1"),
            ("{\"web\":\n {\"port\": 1,}}", "json", "F:2"), ("[]", "json", "the file holds no keys, F:1"),
            ("{\"web_port\": 1, \"web_port\": 2}", "json", "duplicate object key"), ("web_port: 1", "json", "F:1"),
            (String(repeating: "{\"a\":", count: 40), "json", "nested more than 32 deep at column 161, F:1"),
        ])
    func wrong(text: String, ending: String, says: String) throws {
        let told = try #require(complaint(text, ending: ending), "\(text)")
        #expect(told.contains(says), "\(told)")
    }

    @Test("Broken files are read, or refused with a line in them, and never end the program", arguments: ["yaml", "json"])
    func broken(ending: String) throws {
        let whole =
            ending == "json"
            ? #"{"web": {"port": 8080, "hosts": [1, 2]}, "trunks": [{"name": "a", "tls": true}, {"expires": 2}], "web_port": null}"#
            : "web:\n  port: 8080\n  hosts: [1, 2]\ntrunks:\n  - name: a\n    tls: true\n  - {expires: 2}\n# x\n"
        let seed: UInt64 = 7
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var refused = 0
        for _ in 0..<1_500 {
            var characters = Array(whole)
            for _ in 0...random(4) {
                let index = random(characters.count)
                switch random(3) {
                case 0: characters.remove(at: index)
                case 1: characters[index] = characters[random(characters.count)]
                default: characters.insert(Array("[]{}\",:-\n \t&*!|>%@\u{0}é")[random(20)], at: index)
                }
            }
            let text = String(characters)
            guard let told = complaint(text, ending: ending) else { continue }
            refused += 1
            let line = told.components(separatedBy: "F:").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
            let lines = text.filter { $0 == "\n" }.count + 1
            #expect(line.map { (1...lines + 1).contains($0) } == true, "seed \(seed): \(told) of \(text)")
        }
        #expect(refused > 300)
    }

    @Test("Every key of the program has a name of its own, a sentence, a default that its form takes, and a place")
    func keysAreWhole() {
        let keys = YodelKeys.all
        #expect(keys.count > 20 && Set(keys.map(\.name)).count == keys.count && Set(keys.map(\.variable)).count == keys.count)
        for key in keys {
            #expect(key.name.allSatisfy { $0 == "_" || ("a"..."z").contains($0) }, "\(key.name)")
            #expect(!key.help.hasSuffix(".") && key.help.first?.isUppercase == true, "\(key.name)")
            #expect(key.help.utf8.count < 115 && !key.defaultText.isEmpty && !key.expectation.isEmpty, "\(key.name)")
            #expect(key.shape == .toggle || !key.placeholder.isEmpty, "\(key.name)")
            if let text = key.defaultRead.text {
                #expect(throws: Never.self) { try key.read(.text(text)) }
            } else {
                #expect(key.unset != nil, "\(key.name)")
            }
        }
    }
}
