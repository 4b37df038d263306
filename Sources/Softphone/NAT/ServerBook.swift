import ICE
import Link
import Network
import Realtime
import Settings
import Threads

/// What TURN servers know us by. The password never prints.
struct RelayAccess: Sendable, CustomStringConvertible, CustomReflectable {
    var user = ""
    var password = ""

    var description: String { user }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The STUN and TURN servers of the configuration: their addresses, and who of them has been silent. All calls share it, so that a
/// server that is dead delays the first call at most.
final class ServerBook: Sendable {
    /// How long names are waited for, in milliseconds; and how long their addresses are good.
    static let lookupMilliseconds = 1000.0
    private static let freshMilliseconds = 300_000.0

    private struct Entry {
        var addresses: [SocketAddress] = []
        var lookedUp: HostTime?
        var isBeingLookedUp = false
        /// The last look-up failed: it is tried again, and not waited for.
        var hasFailed = false
    }

    private let stun: [ServerName]
    private let turn: [ServerName]
    private let access: RelayAccess
    private let entries: Lock<[ServerName: Entry]>
    private let silent = Lock<Set<ServerID>>([])
    /// Who may certify those by TLS.
    let trust: RelayTrust

    init(stun: [ServerName], turn: [ServerName], access: RelayAccess, authorityFile: String? = nil) {
        (self.stun, self.turn, self.access) = (stun, turn, access)
        trust = RelayTrust(authorityFile: authorityFile)
        var known: [ServerName: Entry] = [:]
        for name in stun + turn {
            var entry = Entry()
            if let address = name.address { entry = Entry(addresses: [address], lookedUp: .monotonicNow()) }
            known[name] = entry
        }
        entries = Lock(known)
    }

    var hasServers: Bool { !stun.isEmpty || !turn.isEmpty }

    /// Looks up what is not known, or no longer; waits for nothing.
    func prepare() {
        let now = HostTime.monotonicNow()
        let wanted: [ServerName] = entries.withLock { entries in
            let old = entries.filter { name, entry in
                guard name.address == nil, !entry.isBeingLookedUp else { return false }
                return entry.hasFailed || entry.lookedUp.map { now.milliseconds(since: $0) > Self.freshMilliseconds } ?? true
            }
            for name in old.keys { entries[name]?.isBeingLookedUp = true }
            return Array(old.keys)
        }
        for name in wanted { lookUp(name) }
    }

    /// On a thread of its own: the system's look-up cannot be given up.
    private func lookUp(_ name: ServerName) {
        do {
            _ = try RealtimeThread(name: "lookup", owning: self) { book in
                let found = try? resolve(host: name.host, port: name.port)
                book.entries.withLock { entries in
                    let known = entries[name]?.addresses ?? []
                    entries[name] = Entry(
                        addresses: found ?? known, lookedUp: .monotonicNow(), isBeingLookedUp: false, hasFailed: found == nil)
                }
                if found == nil { logger.warning("the server \(name) has no address; look at stun and turn") }
            }
        } catch {
            logger.warning("no thread to look up \(name): \(error)")
            entries.withLock { $0[name]?.isBeingLookedUp = false }
        }
    }

    /// Tells an agent whom it may ask, as far as their addresses are known by now.
    func tell(_ agent: ICEAgent) {
        let known = entries.withLock { $0.mapValues(\.addresses) }
        // One address of each family: a name with many is one server.
        func addresses(_ name: ServerName) -> [SocketAddress] {
            let all = known[name] ?? []
            return [IPAddress.Family.v4, .v6].compactMap { family in all.first { $0.address.family == family } }
        }
        let relays = turn.flatMap { name in
            addresses(name).map {
                TURNServer(
                    address: $0, transport: TURNTransport(name.way), name: name.host, username: access.user,
                    password: access.password)
            }
        }
        agent.setServers(stun: stun.flatMap(addresses), turn: relays, unawaited: silent.withLock { $0 })
    }

    /// Whether a name is being looked up for the first time.
    var isWaiting: Bool {
        entries.withLock { $0.values.contains { $0.isBeingLookedUp && $0.lookedUp == nil && !$0.hasFailed } }
    }

    /// What an agent found out once its candidates were told.
    func note(_ agent: ICEAgent) {
        let (answering, quiet) = (agent.answeringServers, agent.silentServers)
        let new: Set<ServerID> = silent.withLock { silent in
            let new = quiet.subtracting(silent)
            silent.subtract(answering)
            silent.formUnion(quiet)
            return new
        }
        for server in new { logger.warning("the server \(server) does not answer; calls do not wait for it any more") }
    }
}

extension TURNTransport {
    /// As the configuration has it.
    init(_ way: ServerWay) {
        self =
            switch way {
            case .udp: .udp
            case .tcp: .tcp
            case .tls: .tls
            }
    }
}
