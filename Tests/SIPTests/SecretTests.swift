import SIP
import Testing

@Suite("Secrets never print") struct SecretTests {
    @Test func inAnyWayOfPrinting() {
        let account = Account(
            id: AccountID("a"), address: SIPURI(user: "a", host: "example.com"), password: Secret("hunter2"))
        var dumped = ""
        dump(account, to: &dumped)
        let secret = Secret("hunter2")
        dump(secret, to: &dumped)
        for text in [dumped, "\(secret)", String(reflecting: secret), "\(account)", String(reflecting: account)] {
            #expect(!text.contains("hunter2"))
            // Nor as numbers: 104, 117, 110 are its first octets.
            #expect(!text.contains("104, 117") && !text.contains("- 104"))
        }
    }
}
