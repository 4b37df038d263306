import Reporting
import Testing

import Service

@Suite("Roles") struct RoleTests {
    private static let tokens: [Role: String] = [
        .read: "reader-reader-reader", .operate: "operator-operator-op", .admin: Bench.token,
    ]

    private func status(_ bench: Bench, _ role: Role, _ method: String, _ path: String) async -> Int {
        await bench.ask(method, path, headers: ["authorization": "Bearer \(Self.tokens[role] ?? "")"]).status
    }

    @Test("who may look cannot act, who may act cannot see the configuration")
    func routes() async {
        let bench = Bench(tokens: Self.tokens)
        bench.core.configure(show: { .object([]) }, reload: { Reload() })
        for route in Routes.all where !route.isOpen {
            let path = route.template.split(separator: "/").map { $0.hasPrefix("{") ? "none" : String($0) }.joined(
                separator: "/")
            // The stream has no end.
            if route.template == "/v1/events" { continue }
            for role in Role.allCases {
                let status = await status(bench, role, route.method, "/" + path)
                #expect((status == 403) == (role < route.role), "\(role) \(route.method) \(route.template): \(status)")
                #expect(status != 401)
            }
        }
        let admins = Set(Routes.all.filter { $0.role == .admin }.map(\.template))
        #expect(admins.allSatisfy { $0.hasPrefix("/v1/config") || $0 == "/v1/drain" }, "\(admins)")
        #expect(Routes.all.filter { $0.role == .read }.allSatisfy { $0.method == "GET" })
    }

    @Test("what is missing is told, and no token is taken for another")
    func refused() async {
        let bench = Bench(tokens: Self.tokens)
        let answer = await bench.ask("POST", "/v1/calls", "{}", headers: ["authorization": "Bearer reader-reader-reader"])
        #expect(answer.status == 403 && answer.response.contentType == "application/problem+json")
        #expect(answer.json.text("detail")?.contains("softphone.operate_token_file") == true)
        for wrong in ["reader-reader-reade", "reader-reader-readerr", "", "operator-reader-read", Bench.token + "x"] {
            #expect(
                await bench.ask("GET", "/v1/calls", headers: ["authorization": "Bearer \(wrong)"]).status == 401, "\(wrong)")
        }
    }

    @Test(
        "no password of a URI is shown",
        arguments: [
            ("sip:u:pw@h", "sip:u:***@h"), ("SIPS:u:p:w@h;x=y", "SIPS:u:***@h;x=y"), ("wss://u:pw@h/x", "wss://u:***@h/x"),
            ("sip:u@h:5060", "sip:u@h:5060"), ("wss://h:8443/a@b", "wss://h:8443/a@b"), ("plain", "plain"),
            ("'https://u:pw@h/' is no URL; write sip:a:b@c", "'https://u:***@h/' is no URL; write sip:a:***@c"),
            ("http://h:80/ and a@b", "http://h:80/ and a@b"),
        ])
    func masked(uri: String, shown: String) {
        #expect(JSONValue.array([.string(uri)]).maskingPasswords == .array([.string(shown)]))
    }

    @Test("tokens that were changed count at once, and the old ones do not")
    func changed() async {
        let bench = Bench(tokens: Self.tokens)
        bench.gate.change([.admin: "another-another-another"])
        #expect(await bench.ask("GET", "/v1/calls").status == 401)
        #expect(await bench.ask("GET", "/v1/calls", headers: ["authorization": "bearer another-another-another"]).status == 200)
    }
}
