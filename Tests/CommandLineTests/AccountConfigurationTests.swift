import Foundation
import Settings
import Testing

private func accounts(_ text: String) throws -> [ConfigurationItem<AccountKeys>] {
    let file = try TemporaryFile(text, ending: "yaml")
    return try Configuration(environment: [:], explicitPath: file.path)[\.accounts]
}

@Suite("Accounts in the configuration") struct AccountConfigurationTests {
    @Test("each has a name and its keys, and what is not said has its default")
    func keys() throws {
        let items = try accounts(
            """
            accounts:
              office:
                uri: sip:101@example.com
                user: 0101
                password_file: /etc/yodel/office
                registrar: sip:192.0.2.1:5080
                outbound_proxy: 192.0.2.2
                transport: tls
                expires: 120
                srtp: required
                message_waiting: true
                callees: [1*, +49*]
              home:
                uri: sip:me@example.org
                password_env: HOME_PASSWORD
            """)
        #expect(items.map(\.name) == ["office", "home"])
        #expect(items[0][\.uri] == "sip:101@example.com" && items[0][\.user] == "0101")
        #expect(items[0][\.passwordFile] == "/etc/yodel/office" && items[0][\.passwordEnv] == nil)
        #expect(items[0][\.registrar] == "sip:192.0.2.1:5080" && items[0][\.outboundProxy] == "192.0.2.2")
        #expect(items[0][\.transport] == .tls && items[0][\.expires] == 120)
        #expect(items[0][\.srtp] == .required && items[1][\.srtp] == .optional)
        #expect(items[0][\.callees] == ["1*", "+49*"] && items[1][\.callees].isEmpty)
        #expect(items[0][\.messageWaiting] && !items[1][\.messageWaiting])
        #expect(items[1][\.transport] == nil && items[1][\.expires] == 600 && items[1][\.registrar] == nil)
    }

    @Test("one of a list without a name is refused with its line, and so is a webhook; a misspelt key is told first")
    func nameless() {
        for (text, told) in [
            (
                "accounts:\n  - name: a\n    uri: sip:a@b\n  - uri: sip:c@d\n",
                ["accounts[1].name", ":4;", "accounts: as a map"]
            ),
            ("webhooks:\n  - url: https://a/\n", ["webhooks[0].name", ":2;", "webhooks: as a map"]),
            ("accounts:\n  - nam: a\n    uri: sip:a@b\n", ["unknown key accounts[0].nam"]),
        ] {
            do {
                _ = try accounts(text)
                Issue.record("it was taken: \(text)")
            } catch {
                #expect(told.allSatisfy { "\(error)".contains($0) }, "\(error)")
            }
        }
    }

    @Test("a password in the file is refused with the remedy, and is not repeated")
    func passwordInFile() throws {
        for text in [
            "accounts:\n  a:\n    uri: sip:a@b\n    password: hunter2\n",
            "accounts:\n  - name: a\n    password: hunter2\n",
        ] {
            do {
                _ = try accounts(text)
                Issue.record("the password was taken")
            } catch {
                let words = "\(error)"
                #expect(words.contains("password_file") && words.contains("password_env"))
                #expect(!words.contains("hunter2"))
            }
        }
    }

    @Test("a file or variable without a password is told with its own line, and the file with why it cannot be read")
    func noPassword() throws {
        for (line, told) in [
            ("password_file: /nonexistent/password", "password_file cannot be '/nonexistent/password'"),
            ("password_env: NOT_SET", "password_env cannot be 'NOT_SET'"),
        ] {
            let item = try #require(try accounts("accounts:\n  a:\n    uri: sip:a@b\n    user: u\n    \(line)\n").first)
            let error = #expect(throws: SettingsError.self) { try item.password(environment: [:]) }
            let words = error?.description ?? ""
            #expect(words.hasPrefix("accounts.a.\(told), from ") && words.contains(".yaml:5;"), "\(words)")
            #expect(words.contains("(No such file or directory)") == line.contains("file"), "\(words)")
        }
    }

    @Test(
        "values that make no sense are refused",
        arguments: [
            "expires: 5", "expires: soon", "transport: smoke", "srtp: maybe", "message_waiting: 7", "uri: [a, b]",
            "registra: sip:a",
        ])
    func refused(line: String) {
        #expect(throws: SettingsError.self) { _ = try accounts("accounts:\n  a:\n    \(line)\n") }
    }
}
