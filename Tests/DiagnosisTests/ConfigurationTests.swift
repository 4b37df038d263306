import Foundation
import Reporting
import Settings
import TestPrograms
import Testing

import Diagnosis

@Suite("What is configured is looked at") struct ConfigurationTests {
    @Test("little room is advice, none is trouble; a folder that cannot be written is told so")
    func disk() throws {
        #expect(DiskFindings.judge("/x", free: 50 << 30, files: 10_000, "d").grade == .fine)
        #expect(DiskFindings.judge("/x", free: 500 << 20, files: 10_000, "d").grade == .advice)
        #expect(DiskFindings.judge("/x", free: 1 << 20, files: 10_000, "d").grade == .trouble)
        #expect(DiskFindings.judge("/x", free: 50 << 30, files: 3, "d").grade == .trouble)
        #expect(DiskFindings.look("/no/such/folder", for: "recordings").grade == .trouble)
        #expect(DiskFindings.look(NSTemporaryDirectory(), for: "recordings").subject == "disk for recordings")
        let file = NSTemporaryDirectory() + "yodel-\(UUID().uuidString)"
        try Data("no folder".utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let found = DiskFindings.look(file, for: "bundles")
        #expect(found.grade == .trouble && found.detail == "\(file) is no folder" && !found.remedy.isEmpty)
    }

    @Test("days that a certificate has left; what is none is told so")
    func certificates() throws {
        #expect(CertificateFindings.judge(seconds: 100 * 86_400, "c").detail == "100 days left")
        #expect(CertificateFindings.judge(seconds: 100 * 86_400, "c").grade == .fine)
        #expect(CertificateFindings.judge(seconds: 5 * 86_400, "c").grade == .advice)
        #expect(CertificateFindings.judge(seconds: -3 * 86_400, "c").detail == "it expired 3 days ago")
        let file = NSTemporaryDirectory() + "yodel-\(UUID().uuidString).pem"
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for place in [file, "/no/such/file.pem"] {
            let found = CertificateFindings.look(place, key: "--tls-ca", now: 0)
            #expect(found.grade == .trouble && found.remedy.contains("--tls-ca"))
        }
    }

    @Test("of authorities one that is good is enough; of a chain each has to be")
    func authorities() throws {
        let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        func pem(_ name: String) throws -> String {
            try String(contentsOfFile: "\(tests)/SignallingTransportTests/Fixtures/\(name).pem", encoding: .utf8)
        }
        let file = NSTemporaryDirectory() + "yodel-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        func look(_ text: String, isAuthorities: Bool) throws -> Finding {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return CertificateFindings.look(file, key: "tls.ca", isAuthorities: isAuthorities, now: 1_700_000_000)
        }
        for bad in ["expired", "early"] {
            let both = try pem(bad) + pem("ca")
            let found = try look(both, isAuthorities: true)
            #expect(found.grade == .fine && found.detail.hasSuffix("days left (not good now: 1 of 2)"), "\(found)")
            #expect(try look(both, isAuthorities: false).grade == .trouble)
            #expect(try look(pem(bad), isAuthorities: true).grade == .trouble)
        }
        #expect(try look(pem("ca"), isAuthorities: true).detail.hasSuffix("days left"))
    }

    @Test("names of servers need name servers; addresses need none")
    func names() throws {
        func finding(_ names: [String], _ text: String, container: Bool = false) throws -> Finding {
            var files = ["/etc/resolv.conf": text]
            if container { files["/run/.containerenv"] = "" }
            let fixture = try MachineFixture(files: files)
            defer { fixture.remove() }
            return NameFindings.servers(names, fixture.machine())
        }
        #expect(try finding([], "").grade == .fine)
        #expect(try finding(["a.example"], "# none\nnameserver 192.0.2.53\n").detail == "192.0.2.53")
        #expect(try finding(["a.example"], "search example\n").grade == .trouble)
        #expect(try finding(["a.example"], "", container: true).remedy.contains("--dns"))
        #expect(NameFindings.look("localhost").grade == .fine)
    }

    @Test("a registrar's clock that is off is told, with which is behind")
    func wallClock() throws {
        let text = "Sat, 13 Nov 2010 23:29:00 GMT"
        let seconds = try #require(ClockFindings.seconds(text))
        #expect(seconds == 1_289_690_940)
        #expect(ClockFindings.wallClock(text, of: "office", now: seconds + 5)?.grade == .fine)
        #expect(ClockFindings.wallClock(text, of: "office", now: seconds - 900)?.detail.contains("900 s behind") == true)
        #expect(ClockFindings.wallClock(nil, of: "office", now: 0) == nil)
        for bad in [
            "", "Sat, 13 Nov 2010 23:29:00 CET", "Sat, 99 Nov 2010 23:29:00 GMT", "1 2 3 4 5 GMT", "Sat, 13 Foo 2010 1:2:3 GMT",
        ] {
            #expect(ClockFindings.seconds(bad) == nil, "\(bad)")
        }
    }

    @Test("what is wrong stands before what to do")
    func split() {
        #expect(AccountFindings.split("403 Forbidden; ask; or not").remedy == "ask; or not")
        #expect(!AccountFindings.split("no remedy").remedy.isEmpty)
    }

    @Test("a whole look finds a taken port, a silent server and a missing password, and goes through to the end")
    func whole() throws {
        let holder = try LoopbackSocket(.listening(backlog: 1))
        defer { withExtendedLifetime(holder) {} }
        let port = holder.port
        let file = NSTemporaryDirectory() + "yodel-\(UUID().uuidString).yaml"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(
            """
            softphone:
              port: \(port)
              device: echo
              history: /no/such/folder/history.sqlite
              folder: /no/such/sounds
              program_announcement: /no/such/file.wav
              webhook_spool: /no/such/webhooks
              bundles: /no/such/bundles
              certificate: /no/such/file.pem
            network:
              stun: [127.0.0.1:9]
            accounts:
              office:
                uri: sip:100@127.0.0.1
                password_file: /no/such/password
            """.utf8
        ).write(to: URL(fileURLWithPath: file))
        let configuration = try Configuration(flags: [], environment: [:], explicitPath: file)
        var diagnosis = Diagnosis(configuration, environment: ["HOME": NSTemporaryDirectory()])
        diagnosis.watchSeconds = 0.05
        var found: [Finding] = []
        diagnosis.run { found.append($0) }
        func grade(_ subject: String) -> Finding.Grade? { found.first { $0.subject.hasPrefix(subject) }?.grade }
        #expect(grade("devices") == .fine && grade("port 127.0.0.1:\(port)") == .trouble)
        #expect(grade("stun server") == .trouble && grade("account office") == .trouble)
        #expect(grade("disk for history") == .trouble && grade("disk for webhooks") == .trouble)
        #expect(grade("disk for bundles") == .trouble, "only the last folder is made")
        #expect(grade("folder /no/such/sounds") == .trouble && grade("file /no/such/file.wav") == .trouble)
        #expect(grade("certificate /no/such/file.pem") == .trouble && grade("disk for state") != nil)
        #expect(found.filter { $0.grade != .fine }.allSatisfy { !$0.remedy.isEmpty }, "each says what to do")
        #expect(found.allSatisfy { $0.json.value(at: "grade") == .string($0.grade.rawValue) && !$0.text.contains("\n") })
        diagnosis.isRunning = true
        found = []
        diagnosis.run { found.append($0) }
        #expect(grade("port") == nil && grade("account") == nil, "the service has these itself")
        found = []
        diagnosis.run(isInterrupted: { true }, onFinding: { found.append($0) })
        #expect(found.isEmpty)
    }
}
