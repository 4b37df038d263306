import Foundation
import Settings
import Testing

import Service

@Suite("The description of the routes") struct OpenAPITests {
    private func page(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/\(name)"), encoding: .utf8)
    }

    /// `GET /v1/calls` and the like, with what stands below each.
    private func described() throws -> [String: String] {
        let text = try page("openapi.yaml")
        var found: [String: String] = [:]
        var path = "", operation = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            if line.hasPrefix("  /") {
                path = String(line.dropFirst(2).dropLast())
                operation = ""
            } else if line.wholeMatch(of: #/    (get|put|post|delete|patch|head|options):/#) != nil {
                operation = "\(line.dropFirst(4).dropLast().uppercased()) \(path)"
                found[operation] = ""
            } else if !operation.isEmpty {
                found[operation]? += line + "\n"
            }
        }
        return found
    }

    @Test("every route is described, and nothing else is")
    func complete() throws {
        let described = try described()
        #expect(Set(described.keys) == Set(Routes.all.map { "\($0.method) \($0.template)" }))
        #expect(Set(Routes.all.map { "\($0.method) \($0.template)" }).count == Routes.all.count)
    }

    @Test("the service hands it out as it is, to anybody")
    func served() async throws {
        let answer = await Bench().ask("GET", "/openapi.yaml", headers: ["authorization": ""])
        guard case .bytes(let bytes) = answer.response.body else { return #expect(Bool(false)) }
        #expect(answer.status == 200 && answer.response.contentType == "application/yaml")
        #expect(try page("openapi.yaml") == String(decoding: bytes, as: UTF8.self))
    }

    @Test("what needs no token says so, and all else tells of 401")
    func tokens() throws {
        let described = try described()
        for route in Routes.all {
            let text = described["\(route.method) \(route.template)"] ?? ""
            #expect(text.contains("security: []") == route.isOpen, "\(route.template)")
            #expect(text.contains("\"401\"") != route.isOpen, "\(route.template)")
            #expect(text.contains("\"404\"") == route.template.contains("{id}"), "\(route.template)")
        }
    }

    @Test("what only administrators may do says so, and nothing else does")
    func roles() throws {
        let described = try described()
        for route in Routes.all {
            let text = described["\(route.method) \(route.template)"] ?? ""
            #expect(text.contains("Takes the role admin.") == (route.role == .admin), "\(route.template)")
            #expect(route.role != .admin || text.contains("\"403\""), "\(route.template)")
        }
    }

    @Test("what refuses a body of another kind says so, and that one may be too long")
    func bodies() async throws {
        let described = try described()
        let bench = Bench()
        for route in Routes.all where route.method != "GET" {
            let path = route.template.replacingOccurrences(of: "{id}", with: "office")
            let answer = await bench.ask(route.method, path, "x", headers: ["content-type": "text/plain"])
            guard answer.status == 415 else { continue }
            let text = described["\(route.method) \(route.template)"] ?? ""
            #expect(text.contains("\"415\"") && text.contains("\"413\""), "\(route.method) \(route.template)")
        }
    }

    @Test("every key of the service is in docs/softphone.md")
    func documented() throws {
        let page = try page("softphone.md")
        for key in SoftphoneKeys.keys {
            #expect(page.contains("`\(key.name.dropFirst("softphone_".count))`"), "\(key.name)")
        }
    }

    @Test("a call's fields are those that are described")
    func fields() async throws {
        let bench = Bench()
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com"}"#)
        guard case .object(let members) = made.json else { return #expect(Bool(false)) }
        let text = try page("openapi.yaml")
        let part = try #require(text.range(of: "    Call:\n")).upperBound
        let described = text[part...].prefix { _ in true }.split(separator: "\n")
            .compactMap { $0.firstMatch(of: #/^        (\w+): \{/#).map { String($0.1) } }
        #expect(described == members.map(\.name))
    }
}
