import Foundation
import Settings
import Testing

private let sourceRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// A flag of the command line.
private func flag(_ name: String, _ text: String) throws -> ConfigurationFlag {
    ConfigurationFlag(try #require(YodelKeys.all.first { $0.name == name }), value: .text(text))
}

@Test("The annotated file is what the keys' declarations say") func noDrift() throws {
    let text = try String(contentsOf: sourceRoot.appendingPathComponent("config/yodel.yaml"), encoding: .utf8)
    #expect(text == AnnotatedDefaults.text, "make it anew: yodel config --defaults > config/yodel.yaml")
}

@Test("The annotated file says the defaults and nothing else") func annotatedFileIsDefault() throws {
    let file = try ConfigurationFile(path: "x", text: AnnotatedDefaults.text)
    for key in YodelKeys.all {
        #expect(file.entries[key.name]?.value.text == key.defaultRead.text, "\(key.name)")
        #expect(AnnotatedDefaults.text.contains(key.flag) && AnnotatedDefaults.text.contains(key.variable), "\(key.name)")
    }
}

@Test("Flag beats environment beats file beats default, each named as the source") func precedence() throws {
    let file = try TemporaryFile("# mine\ncodec: pcma\nlatency: low\nptime: 10\n")
    let configuration = try Configuration(
        flags: [flag("codec", "l16")], environment: ["YODEL_CODEC": "pcmu", "YODEL_LATENCY": "robust"],
        explicitPath: file.path)
    #expect(configuration[\.media.codec] == .l16 && configuration.source(of: \.media.codec) == .flag("--codec"))
    #expect(configuration[\.media.latency] == .robust)
    #expect(configuration.source(of: \.media.latency) == .environment(variable: "YODEL_LATENCY"))
    #expect(configuration[\.media.ptime] == 10)
    #expect(configuration.source(of: \.media.ptime) == .file(path: file.path, line: 4))
    #expect(configuration[\.media.bitrate] == 28_000 && configuration.source(of: \.media.bitrate) == .default)
    #expect(configuration.json.value(at: "ptime.source") == .string("\(file.path):4"))
}

@Test("A device said louder for both directions beats one said lower for one") func devices() throws {
    let file = try TemporaryFile("device: alsa:a\ninput: alsa:b\n")
    func names(_ flags: [ConfigurationFlag]) throws -> [String] {
        let names = try Configuration(flags: flags, environment: [:], explicitPath: file.path).deviceNames
        return [names.input, names.output]
    }
    #expect(try names([]) == ["alsa:b", "alsa:a"])
    #expect(try names([flag("device", "null")]) == ["null", "null"])
    #expect(try names([flag("device", "null"), flag("output", "alsa:c")]) == ["null", "alsa:c"])
}

@Test("Files are found by flag, variable and the usual folders, in that order") func search() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let found = folder.appendingPathComponent("yodel/yodel.yaml")
    try FileManager.default.createDirectory(at: found.deletingLastPathComponent(), withIntermediateDirectories: true)
    try "codec: pcmu\n".write(to: found, atomically: true, encoding: .utf8)
    let other = try TemporaryFile("codec: pcma\n")
    let usual = ["XDG_CONFIG_HOME": folder.path]
    #expect(try Configuration(environment: usual).path == found.path)
    let named = usual.merging(["YODEL_CONFIG": other.path]) { $1 }
    #expect(try Configuration(environment: named)[\.media.codec] == .pcma)
    #expect(try Configuration(environment: named, explicitPath: found.path)[\.media.codec] == .pcmu)
}

@Test("An unknown key is refused with its line and the nearest name") func unknownKey() {
    #expect { try ConfigurationFile(path: "f.yaml", text: "codec: opus\n\ncodek: opus\n") } throws: { error in
        error as? SettingsError == .unknownKey(name: "codek", source: "f.yaml:3", hint: "codec")
    }
}

@Test(
    "A file that is no tree of keys and values is refused with a line",
    arguments: [
        ("codec: [opus\n  : {{{\n", 2), ("- codec\n", 1), ("codec:\n  name: opus\n", 1), ("codec: [opus]\n", 1),
        ("codec: opus\ncodec: pcmu\n", 2), ("just words", 1), ("allow: [[a]]\n", 1), ("codec: *x\n", 1),
        ("codec: opus\n---\ncodec: pcmu\n", 2), ("\u{0}", 1), ("codec: \"\\uZZ\"\n", 1),
    ])
func malformedFile(text: String, line: Int) {
    #expect { try ConfigurationFile(path: "f.yaml", text: text) } throws: { error in
        guard case SettingsError.malformedFile(let path, let found, _) = error else { return false }
        return path == "f.yaml" && abs(found - line) <= 1
    }
}

@Test("A file that is no UTF-8 is refused with the line of what is none, and with what to do")
func otherEncoding() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-\(UUID().uuidString).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lines = "# one\n# two\nmedia:\n  codec: opus\n"
    let cases: [(bytes: [UInt8], told: String)] = [
        ([0x66, 0xfc, 0x72, 0x0a], "save it as UTF-8"), ([0x66, 0x07, 0x0a], "control"),
    ]
    for (bytes, told) in cases {
        try Data(Array(lines.utf8) + bytes).write(to: URL(fileURLWithPath: path))
        #expect { try ConfigurationFile(path: path) } throws: { error in
            guard case SettingsError.malformedFile(_, 5, let reason) = error else { return false }
            return reason.contains(told)
        }
    }
}

@Test("A file without anything in it is fine", arguments: ["", "# only words\n", "---\n", "codec:\n", "codec: ~\n"])
func emptyFile(text: String) throws {
    #expect(try ConfigurationFile(path: "f.yaml", text: text).entries.isEmpty)
}

@Test("`null` is the silent device where a device is named, and nothing elsewhere; in quotes it is what it says")
func nullWord() throws {
    for text in ["device: null\n", "device: \"null\"\n", "audio:\n  device: 'null'\n"] {
        #expect(try ConfigurationFile(path: "f.yaml", text: text).entries["device"]?.value.text == "null", "\(text)")
    }
    #expect(try ConfigurationFile(path: "f.yaml", text: "device: ~\ncodec: null\n").entries.isEmpty)
    for text in ["codec: \"null\"\n", "codec: '~'\n"] {
        #expect(throws: SettingsError.self) { try ConfigurationFile(path: "f.yaml", text: text) }
    }
}

@Test("A list is a YAML sequence or commas") func list() throws {
    let sequence = try ConfigurationFile(path: "f", text: "allow:\n  - 192.0.2.0/24\n  - 2001:db8::/32\n")
    #expect(sequence.entries["allow"]?.value.text == "192.0.2.0/24,2001:db8::/32")
    let flags = try Configuration(
        flags: [flag("allow", "192.0.2.0/24, 10.0.0.0/8")], environment: ["HOME": "/proc/nonexistent"])
    #expect(flags[\.network.allow].map { "\($0)" } == ["192.0.2.0/24", "10.0.0.0/8"])
}

@Test(
    "A value that is not allowed is refused wherever it comes from",
    arguments: [
        ("codec", "g729"), ("bitrate", "5999"), ("bitrate", "fast"), ("complexity", "11"), ("realtime", "maybe"),
        ("ptime", "15"), ("period", "nan"), ("period", "1e9"), ("log_level", "loud"), ("device", ""),
        ("echo_canceller", "magic"), ("quality", "best"), ("bind", "here"), ("allow", "300.0.0.0/8"), ("redundancy", "95"),
    ])
func refusedValue(name: String, value: String) throws {
    let key = try #require(YodelKeys.all.first { $0.name == name })
    #expect(throws: SettingsError.self) { try Configuration(flags: [flag(name, value)], environment: [:]) }
    guard !value.isEmpty else { return }
    #expect(throws: SettingsError.self) { try Configuration(environment: [key.variable: value]) }
    #expect { try ConfigurationFile(path: "f", text: "\(name): \(value)\n") } throws: { error in
        guard case SettingsError.invalidValue(name, value, "f:1", _) = error else { return false }
        return true
    }
}

@Test("A missing file is refused by name, and a misspelt variable is pointed out") func missingAndMisspelt() throws {
    #expect { try Configuration(environment: [:], explicitPath: "/nonexistent/y.yaml") } throws: { error in
        "\(error)".contains("/nonexistent/y.yaml")
    }
    let configuration = try Configuration(
        environment: ["YODEL_CODEK": "opus", "YODEL_XYZZY_PLUGH": "1", "YODEL_URL": "http://h", "YODEL_TOKEN": "t"])
    #expect(configuration.warnings.count == 1)
    #expect(configuration.warnings.first?.contains("YODEL_CODEC") == true)
    // Kubernetes tells a container so where a service is that is called yodel.
    let told = ["YODEL_PORT": "tcp://10.0.0.7:8470", "YODEL_PORT_5060_UDP": "udp://10.0.0.7:5060"]
    #expect(try Configuration(environment: told).warnings.isEmpty)
    // Or yodel-softphone: one of these has a key's name.
    let softphone = try Configuration(environment: [
        "YODEL_SOFTPHONE_PORT": "tcp://10.0.0.7:8470", "YODEL_SOFTPHONE_SERVICE_HOST": "10.0.0.7",
        "YODEL_SOFTPHONE_SERVICE_PORT": "8470", "YODEL_SOFTPHONE_SERVICE_PORT_HTTP": "8470",
    ])
    #expect(softphone.warnings.isEmpty && softphone[\.softphone.port] == 8470)
}
