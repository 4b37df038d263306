import Signalling
import Softphone
import Testing

@Suite("What to do about a registration") struct RegistrationRemedyTests {
    @Test("each way to fail has its own words, without the account too")
    func words() {
        let failures: [RegistrationChange.Failure] = [.authentication, .refused, .server, .network, .certificate]
        let words = failures.map { $0.remedy() }
        #expect(Set(words).count == failures.count && words.allSatisfy { !$0.isEmpty })
        #expect(RegistrationChange.Failure.authentication.remedy() == "check user: and the password")
        #expect(RegistrationChange.Failure.refused.remedy().contains("this account"))
    }
}
