import Settings
import Signalling
import Softphone

/// Whether accounts can register.
package enum AccountFindings {
    /// Registers from a port of its own, and takes that back. Blocks until the registrar has answered.
    /// - Parameter onSeen: gets ADDRESS:PORT, as the registrar sees us.
    package static func look(
        _ name: String, _ configuration: Configuration, environment: [String: String], now: () -> Double,
        isInterrupted: () -> Bool, onSeen: (String) -> Void = { _ in }
    ) -> [Finding] {
        let subject = "account \(name)"
        do throws(SoftphoneError) {
            let account = try AccountSettings(named: name, in: configuration, environment: environment)
            let check = try AccountCheck.run(
                account, access: SignallingAccess(configuration), within: 15, isInterrupted: isInterrupted)
            if let seen = check.seenAddress { onSeen(seen) }
            return [judge(check, subject), ClockFindings.wallClock(check.registrarDate, of: name, now: now())].compactMap(
                \.self)
        } catch {
            let (what, remedy) = split("\(error)")
            return [Finding(subject, .configuration, .trouble, what, remedy)]
        }
    }

    package static func judge(_ check: AccountCheck, _ subject: String) -> Finding {
        if check.outcome == .registered {
            return .fine(subject, .network, "registered " + (check.steps.last?.detail ?? ""))
        }
        let (what, remedy) = split(check.steps.last { !$0.passed }?.detail ?? "it could not register")
        return Finding(subject, check.outcome == .authentication ? .authentication : .network, .trouble, what, remedy)
    }

    /// What is wrong, and what to do: messages have them in this order.
    package static func split(_ message: String) -> (what: String, remedy: String) {
        let parts = message.split(separator: "; ", maxSplits: 1).map(String.init)
        return (parts.first ?? message, parts.count > 1 ? parts[1] : "`yodel accounts --check` tells each step")
    }
}
