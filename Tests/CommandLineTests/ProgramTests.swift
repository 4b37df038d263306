import Foundation
import Settings
import TestPrograms
import Testing

@Test(
    "What cannot be done is refused at once with one line and its exit status",
    arguments: [
        (["call"], 2, "uri"), (["bogus"], 2, "there is no command 'bogus'"), (["cal"], 2, "did you mean call?"),
        (["help", "cal"], 2, "there is no command 'cal'; did you mean call?"),
        (["help", "nonesuch"], 2, "there is no command 'nonesuch'"), (["help", "peers", "nonesuch"], 2, "'nonesuch'"),
        (["devices", "--record", "call.wav"], 2, "--record"), (["devices", "--play", "call.wav"], 2, "--play"),
        (["devices", "--capture", "call.pcapng"], 2, "--capture"), (["devices", "--dtmf", "1"], 2, "--dtmf"),
        (["devices", "--test", "--near", "call.wav"], 2, "--near"), (["devices", "--dump", "folder"], 2, "--dump"),
        (["devices", "--assert", "mos_lq>1"], 2, "--assert"),
        (["loopback", "--offline", "--bind", "127.0.0.1"], 2, "--bind"),
        (["loopback", "--offline", "--allow", "192.0.2.0/24"], 2, "--allow"),
        (["loopback", "--offline", "--stun", "192.0.2.1"], 2, "--stun"),
        (["loopback", "--offline", "--tls-minimum", "1.3"], 2, "--tls-minimum"),
        (["loopback", "--offline", "--pin"], 2, "--pin"), (["loopback", "--offline", "--duck"], 2, "--duck"),
        (["loopback", "--capture", "call.pcapng"], 2, "--capture"), (["loopback", "--record", "call.wav"], 2, "--record"),
        (["call", "rtp://127.0.0.1:70000"], 2, "70000"),
        (["call", "rtp://127.0.0.1:4", "--devise", "null"], 2, "--devise"),
        (["call", "rtp://127.0.0.1:4", "--codec", "g729"], 2, "opus, g722, pcmu, pcma, l16"),
        (["call", "rtp://127.0.0.1:4?pt=18"], 2, "9 (g722)"),
        (["call", "rtp://127.0.0.1:4?pt=9", "--codec", "opus"], 2, "payload type 9 is g722"),
        (["call", "rtp://127.0.0.1:4?pt=102", "--codec", "opus"], 2, "telephone events, in pt=102"),
        (["call", "rtp://127.0.0.1:4?pt=105", "--codec", "l16"], 2, "comfort noise, in pt=105"),
        (["call", "rtp://127.0.0.1:4", "--codec", "opus", "--redundancy", "105"], 2, "comfort noise, in --redundancy"),
        (["loopback", "--redundancy", "111"], 2, "audio, in --redundancy"),
        (["loopback", "--redundancy", "102"], 2, "telephone events, in --redundancy"),
        (["call", "rtp://127.0.0.1:4", "--bind", "::1"], 2, "--bind"),
        (["listen", "rtp://127.0.0.1:4?local=5004"], 2, "leave out local"),
        (["listen", "rtp://127.0.0.1:4", "--parties", "101", "--device", "file:a.wav"], 2, "--device"),
        (["listen", "rtp://127.0.0.1:4", "--parties", "101", "--ring", "null"], 2, "--ring"),
        (["capacity", "--slo", "gaps=0"], 2, "in --slo 'gaps=0'"),
        (["call", "rtp://127.0.0.1:4", "sip:a@127.0.0.1"], 2, "rtp:// parties only"),
        (["call", "sip:a@127.0.0.1", "--account", "nowhere"], 2, "nowhere"),
        (["call", "sip:"], 2, "sip:USER@HOST"),
        (["call", "rtp://127.0.0.1:4", "--sip-trace", "trace.txt"], 2, "--sip-trace"),
        (["call", "sip:a@127.0.0.1", "--sip-trace", "/no/such/folder/trace.txt"], 2, "--sip-trace"),
        (["listen"], 2, "--account"),
        (["listen", "sip:127.0.0.1", "--account", "office"], 2, "leave out one"),
        (["listen", "rtp://127.0.0.1:4", "--auto-answer"], 2, "--auto-answer"),
        (["listen", "http://example.com:8080/"], 2, "example.com"),
        (["listen", "http://127.0.0.1:0/", "--parties", "2"], 2, "--parties"),
        (["listen", "http://127.0.0.1:0/", "--tls-key", "key.pem"], 2, "--tls-key"),
        (["listen", "https://127.0.0.1:0/"], 2, "--tls-certificate"),
        (["accounts", "--config", "/dev/null"], 2, "there are no accounts"),
        (["replay", "--in", "a.wav", "--trace", "clean", "--out", "b.wav", "--codec", "g729"], 2, "g729"),
        (["call", "rtp://127.0.0.1:4", "--quality", "best"], 2, "low, medium, high"),
        (["call", "rtp://127.0.0.1:4", "--echo-canceller", "magic"], 2, "--echo-canceller"),
        (["play", "x.wav", "--device-rate", "fast"], 2, "--device-rate"),
        (["call", "rtp://127.0.0.1:4", "--duration=-5"], 2, "-5"),
        (["call", "rtp://127.0.0.1:4", "--duration", "nan"], 2, "nan"),
        (["call", "rtp://127.0.0.1:4", "--dtmf", "12x"], 2, "'x'"),
        (["call", "rtp://127.0.0.1:4", "--allow", "300.0.0.0/8"], 2, "300.0.0.0/8"),
        (["call", "rtp://127.0.0.1:4", "--bind", "here"], 2, "here"),
        (["call", "rtp://127.0.0.1:4", "--play", "/nonexistent.wav"], 2, "/nonexistent.wav"),
        (["call", "rtp://127.0.0.1:4", "--record", "/nonexistent/r.wav"], 2, "/nonexistent/r.wav"),
        (["call", "rtp://127.0.0.1:4", "--config", "/nonexistent.yaml"], 2, "/nonexistent.yaml"),
        (["call", "rtp://127.0.0.1:4", "--device", "room:cathedral"], 6, "cathedral"),
        (["listen", "rtp://0.0.0.0:5004", "--assert", "a_to_b.lost_ratio<1"], 2, "a_to_b.lost_ratio"),
        (["loopback", "--assert", "mouth_to_here_ms<100"], 2, "mouth_to_ear_ms"),
        (["loopback", "--room", "cathedral"], 6, "cathedral"),
        (["loopback", "--room", "hall", "--device", "null"], 2, "--room"),
        (["loopback", "--network", "los=5"], 2, "los"), (["loopback", "--dump", "/etc/hostname"], 2, "/etc/hostname"),
    ] as [([String], Int32, String)])
func refusals(arguments: [String], status: Int32, names: String) throws {
    let ending = try yodel(arguments)
    #expect(ending.status == status, "\(arguments): \(ending.errors)")
    #expect(ending.errors.hasPrefix("yodel: ") && ending.errors.contains(names), "\(ending.errors)")
    #expect(ending.errors.contains("; ") && ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
    #expect(ending.output.isEmpty)
}

@Test("A call whose --duration passes before an answer ends with 3; one by rtp:// has no answer to wait for, and ends with 0")
func unanswered() throws {
    let nobody = try LoopbackSocket()
    let place = "127.0.0.1:\(nobody.port)"
    let keys = FileManager.default.temporaryDirectory.appendingPathComponent("yodel-keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: keys) }
    let calls: [(call: [String], status: Int32)] = [
        (["yodel://\(place)", "--keys", keys.path], 3), (["sip:nobody@\(place)"], 3), (["rtp://\(place)"], 0),
    ]
    for (call, status) in calls {
        let ending = try yodel(["call"] + call + ["--device", "null", "--no-voice-processing", "--duration", "0.2"])
        #expect(ending.status == status, "\(call): \(ending)")
    }
}

@Test("`yodel config` shows each value with its source, as text and as JSON") func config() throws {
    let text = try yodel(["config", "--codec", "pcmu"], environment: ["YODEL_LATENCY": "low"])
    #expect(text.status == 0 && text.errors.isEmpty)
    let lines = text.output.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    #expect(lines.contains(["codec:", "pcmu", "#", "flag", "--codec"]))
    #expect(lines.contains(["latency:", "low", "#", "environment", "YODEL_LATENCY"]))
    #expect(lines.contains(["bitrate:", "28000", "#", "default"]))
    let json = try yodel(["config", "--json"])
    let object = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [String: Any]])
    #expect(object["bitrate"]?["value"] as? Int == 28000 && object["bitrate"]?["source"] as? String == "default")
    #expect(object["realtime"]?["value"] as? Bool == true && object["rate"]?["value"] is NSNull)
}

@Test("`--room MODEL` is `--device room:MODEL`") func room() throws {
    let call = ["loopback", "--offline", "--duration", "5", "--json", "--assert", "mouth_to_ear_ms<500"]
    func erle(_ device: [String]) throws -> [Double] {
        let lines = try yodel(call + device).output.split(separator: "\n")
        let last = try #require(JSONSerialization.jsonObject(with: Data(lines.last!.utf8)) as? [String: Any])
        return ["a_to_b", "b_to_a"].compactMap {
            ((last[$0] as? [String: Any])?["echo"] as? [String: Any])?["erle_db"] as? Double
        }
    }
    let short = try erle(["--room", "hall,drift=80"])
    #expect(try short.count == 2 && short == erle(["--device", "room:hall,drift=80"]))
    #expect(try short != erle([]))
}

@Test("`--log-level debug` tells on standard error what a call was set up with; warnings need no asking")
func logLevel() throws {
    let device = ["--device", "null", "--period", "20"]
    let call = ["call", "rtp://127.0.0.1:9", "--codec", "pcmu", "--duration", "0.3"] + device
    let misspelt = ["YODEL_CODEK": "opus"]
    let quiet = try yodel(call, environment: misspelt)
    let warnings = quiet.errors.split(separator: "\n")
    #expect(warnings.count == 1 && quiet.errors.contains("warning: ") && quiet.errors.contains("YODEL_CODEC"))
    let told = try yodel(call + ["--log-level", "debug"]).errors
    for fact in [
        "to 127.0.0.1:9, RTCP to 127.0.0.1:10", "codec pcmu, payload type 0, 8000 Hz", "period_ms 20.0",
        "realtime_priority", "device null",
    ] {
        #expect(told.contains(fact), "\(fact) in \(told)")
    }
    #expect(told.split(separator: "\n").allSatisfy { $0.hasPrefix("yodel: ") })
    #expect(try yodel(call + ["--log-level", "critical"], environment: misspelt).errors.isEmpty)
}

@Test(
    "`--log-level` counts in commands that make no calls, too",
    arguments: [["capacity", "--seconds", "1"], ["history", "/nonexistent/history.sqlite"]])
func logLevelOfOthers(command: [String]) throws {
    let ending = try yodel(command + ["--log-level", "info"])
    #expect(ending.status == 2 && ending.errors.contains("info: configuration file"), "\(ending)")
}

@Test("A program that `nohup` starts leaves SIGHUP ignored; otherwise it heeds it", arguments: [true, false])
func hangUp(isIgnored: Bool) throws {
    let program = try RunningProgram(
        ["listen", "rtp://127.0.0.1:0", "--device", "null"], after: isIgnored ? "trap '' HUP" : "true")
    #expect(wait(seconds: hangSeconds) { program.heedsSignals })
    #expect(program.heeds(SIGHUP) != isIgnored)
    program.terminate()
    #expect(program.end(within: hangSeconds) == 143)
}

@Test(
    "A call lasts as long as it was asked to, whichever of the standard descriptors are closed",
    arguments: ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
func closedDescriptors(_ closed: String) throws {
    let nobody = try LoopbackSocket()
    let call = ["call", "rtp://127.0.0.1:\(nobody.port)", "--device", "null", "--no-voice-processing", "--duration", "1"]
    let start = ContinuousClock.now
    let program = try RunningProgram(call, after: "exec \(closed)")
    #expect(program.end(within: hangSeconds) == 0)
    #expect(ContinuousClock.now - start >= .seconds(1))
}

@Test("Echo canceller and quality can be chosen for a call, by flag and by file, and the report names them")
func echoCanceller() throws {
    func erle(_ more: [String]) throws -> [Double] {
        let ending = try yodel(["loopback", "--offline", "--duration", "6", "--json"] + more)
        let last = try #require(ending.output.split(separator: "\n").last, "\(ending)")
        let report = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        return ["a_to_b", "b_to_a"].compactMap {
            ((report[$0] as? [String: Any])?["echo"] as? [String: Any])?["erle_db"] as? Double
        }
    }
    let usual = try erle([])
    #expect(try usual.count == 2 && usual == erle(["--echo-canceller", "yodel", "--quality", "high"]))
    let speex = try erle(["--echo-canceller", "speexdsp"])
    #expect(speex != usual)
    let file = try TemporaryFile("audio:\n  echo_canceller: speexdsp\n")
    #expect(try erle(["--config", file.path]) == speex)
    #expect(try erle(["--quality", "low"]) != usual)
    let call = try yodel(
        ["call", "rtp://127.0.0.1:9", "--device", "null", "--duration", "0.3", "--json", "--quality", "medium"])
    let report = try #require(
        JSONSerialization.jsonObject(with: Data(call.output.split(separator: "\n").last!.utf8)) as? [String: Any])
    for table in ["requested", "effective"] {
        let facts = try #require(report[table] as? [String: String], "\(call)")
        #expect(facts["echo_canceller"] == "yodel" && facts["quality"] == "medium", "\(facts)")
    }
}

@Test("A configuration may be JSON; its mistakes have a line and end the program with 2") func jsonFile() throws {
    let good = try TemporaryFile(#"{"media": {"codec": "pcmu"}, "network": {"allow": ["192.0.2.0/24"]}}"#, ending: "json")
    let lines = try yodel(["config", "--config", good.path]).output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("codec: pcmu ") && $0.hasSuffix("\(good.path):1") })
    #expect(lines.contains { $0.hasPrefix("allow: 192.0.2.0/24 ") })
    let bad = try TemporaryFile("{\"media\":\n {\"codek\": \"pcmu\"}}", ending: "json")
    let ending = try yodel(["config", "--config", bad.path])
    #expect(ending.status == 2 && ending.errors.contains("\(bad.path):2; did you mean media.codec?"), "\(ending)")
}

@Test(
    "Help has every key with its default, its groups, and examples whose options exist",
    arguments: [
        "call", "listen", "loopback", "config", "check", "devices", "play", "record", "render", "process", "replay",
        "softphone",
    ])
func helpIsComplete(command: String) throws {
    let help = try yodel(["help", command]).output
    let examples = help.split(separator: "\n").filter { $0.hasPrefix("  yodel \(command)") }
    #expect(!examples.isEmpty && help.contains("EXAMPLES:\n"), "\(help)")
    #expect(help.split(separator: "\n").filter { $0.hasPrefix("  yodel ") }.allSatisfy { $0.count <= 80 })
    for option in examples.flatMap({ $0.split(separator: " ") }).filter({ $0.hasPrefix("--") }) {
        let name = option.split(separator: "=")[0]
        #expect(help.contains("  \(name) ") || help.contains("  \(name)\n") || help.contains("  \(name)/"), "\(name)")
    }
    let ofService = Set(SoftphoneKeys.keys.map(\.name))
    if command == "softphone" {
        for key in SoftphoneKeys.keys { #expect(help.contains("  \(key.flag) <\(key.placeholder)>"), "\(key.name)") }
    }
    guard ["call", "listen", "loopback", "config", "devices"].contains(command) else { return }
    for group in ["CALL", "AUDIO", "MEDIA", "NETWORK", "TLS", "OUTPUT", "GENERAL"] {
        #expect(help.contains("\n\(group):\n"), "\(group)")
    }
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for key in YodelKeys.all where !ofService.contains(key.name) {
        let form = key.shape == .toggle ? "\(key.flag)/--no-\(key.optionName)" : "\(key.flag) <\(key.placeholder)>"
        #expect(words.contains("\(form) \(key.help). ("), "\(form)")
        #expect(words.contains("default: \(key.defaultText))"), "\(key.name)")
    }
}

@Test("Help of a loopback test says which of the options below it are refused") func helpOfLoopback() throws {
    let words = try yodel(["help", "loopback"]).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("--pin, --duck and all options of network and TLS are refused."), "\(words)")
}

@Test("Help breaks a line only where the next word does not fit", arguments: ["process", "play", "record", "render"])
func helpIsWrapped(command: String) throws {
    let help = try yodel(["help", command]).output
    let words = help.components(separatedBy: "EXAMPLES:")[0]
    for paragraph in words.components(separatedBy: "\n\n") {
        let lines = paragraph.split(separator: "\n")
        for (line, next) in zip(lines, lines.dropFirst()) {
            let word = next.prefix(while: { $0 != " " })
            #expect(line.count + 1 + word.count >= 80, "\(line)")
        }
    }
    #expect(!help.contains("keys:"))
}

@Test("Long rows of `yodel help ctl` go on in their own column") func helpOfControl() throws {
    let help = try yodel(["help", "ctl"]).output
    let list = help.components(separatedBy: "words stand for:\n\n").last?.components(separatedBy: "\n\n").first ?? ""
    let lines = list.split(separator: "\n")
    #expect(lines.count > 40 && lines.allSatisfy { $0.hasPrefix("  ") && $0.count < 80 }, "\(list)")
}

@Test("Help and version end well, on standard output") func help() throws {
    for arguments in [["--help"], ["help", "call"], ["help", "ctl", "dial"], ["help", "peers", "pin"], ["--version"], []] {
        let ending = try yodel(arguments)
        #expect(ending.status == 0 && !ending.output.isEmpty && ending.errors.isEmpty, "\(arguments)")
    }
}
