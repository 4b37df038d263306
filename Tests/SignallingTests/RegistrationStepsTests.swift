import Realtime
import Signalling
import Testing

@Suite("Steps of a registration") struct RegistrationStepsTests {
    private let start = HostTime(milliseconds: 1000)

    @Test("the connection that was opened, and whose certificate it has; of the first one alone")
    func connection() {
        var steps = RegistrationSteps(start: start)
        let first = OpenedStream(transport: "tls", remote: "192.0.2.9:5061", certificate: "/CN=a, issued by /CN=b, 9 days left")
        steps.note(first, now: start.advanced(byMilliseconds: 30))
        steps.note(OpenedStream(transport: "tcp", remote: "192.0.2.8:5060"), now: start.advanced(byMilliseconds: 60))
        #expect(steps.connection == "tls:192.0.2.9:5061")
        #expect(steps.connectionMilliseconds == 30)
        #expect(steps.certificate == first.certificate)
    }

    @Test("by UDP there is no connection") func datagrams() {
        let steps = RegistrationSteps(start: start)
        #expect(steps.connection == nil && steps.certificate == nil && steps.connectionMilliseconds == nil)
    }
}
