import Glibc
import Link
import Network
import Reporting
import Settings

/// Whether names of servers lead anywhere.
package enum NameFindings {
    /// What the name servers are, where names are asked for at all.
    /// - Parameters:
    ///   - names: of servers.
    ///   - configured: name servers of `network.dns`, in place of the system's.
    package static func servers(_ names: [String], configured: [String] = [], _ machine: Machine) -> Finding {
        let subject = "name servers"
        guard !names.isEmpty else { return .fine(subject, .network, "none is needed: every server is an address") }
        guard configured.isEmpty else { return .fine(subject, .network, configured.joined(separator: ", ")) }
        let lines = machine.lines("/etc/resolv.conf") ?? []
        let servers = lines.compactMap { line -> String? in
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.count > 1 && words[0] == "nameserver" ? String(words[1]) : nil
        }
        guard !servers.isEmpty else {
            let remedy = machine.runtime.isContainer ? "start it with --dns and an address" : "name one in /etc/resolv.conf"
            return Finding(subject, .network, .trouble, "there are none", remedy)
        }
        return .fine(subject, .network, servers.joined(separator: ", "))
    }

    /// Asks for a name. Blocks for as long as the name servers take.
    package static func look(_ host: String) -> Finding {
        let subject = "name \(host)"
        do throws(NetworkError) {
            let addresses = try resolve(host: host, port: 0).map { "\($0.address)" }
            return .fine(subject, .network, addresses.joined(separator: ", "))
        } catch {
            return Finding(subject, .network, .trouble, "\(error)", "look for a misspelling, and at the name servers")
        }
    }
}
