import SIP
import Testing

@Suite("Passwords never print") struct PasswordTests {
    @Test func inAnyWayOfPrinting() {
        let account = Account(
            id: AccountID("a"), address: SIPURI(user: "a", host: "example.com"), password: Password("hunter2"))
        var dumped = ""
        dump(account, to: &dumped)
        let password = Password("hunter2")
        dump(password, to: &dumped)
        for text in [dumped, "\(password)", String(reflecting: password), "\(account)", String(reflecting: account)] {
            #expect(!text.contains("hunter2"))
            // Nor as numbers: 104, 117, 110 are its first octets.
            #expect(!text.contains("104, 117") && !text.contains("- 104"))
        }
    }
}
