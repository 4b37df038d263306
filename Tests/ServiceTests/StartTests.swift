import Settings
import Softphone
import TestPrograms
import Testing

import Service

@Suite("The service's start") struct StartTests {
    @Test("a port for SIP that somebody else has is told with its key, as those for HTTP are")
    func sipPort() throws {
        let other = try LoopbackSocket(.listening(backlog: 1))
        defer { withExtendedLifetime(other) {} }
        let environment = ["YODEL_SOFTPHONE_SIP_PORT": "\(other.port)", "YODEL_BIND": "127.0.0.1"]
        let settings = try ServiceSettings(Configuration(environment: environment), environment: environment)
        let error = #expect(throws: SoftphoneError.self) { try SoftphoneService(settings) }
        guard case .request(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text.hasPrefix("port \(other.port) cannot be bound (") && text.contains("softphone.sip_port;"), "\(text)")
    }
}
