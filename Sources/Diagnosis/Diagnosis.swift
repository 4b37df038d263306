import AudioDevices
import Glibc
import Link
import Network
import Realtime
import Settings
import Softphone

/// Looks at everything that calls of a configuration need: the machine, what the process may have of it, and the servers.
public struct Diagnosis: Sendable {
    private let configuration: Configuration
    private let environment: [String: String]
    private let machine: Machine
    /// The service of this configuration runs in this process: its ports are its own, its accounts are registered.
    public var isRunning = false
    /// How long the machine is watched for standstills.
    public var watchSeconds = 2.0

    /// - Parameter environment: of the process.
    public init(_ configuration: Configuration, environment: [String: String]) {
        (self.configuration, self.environment) = (configuration, environment)
        machine = Machine(environment: environment)
    }

    /// Looks at one thing after the other; it takes some seconds, and longer where a server does not answer.
    /// - Parameters:
    ///   - isInterrupted: asked between two; true gives up.
    ///   - onFinding: gets each as it is found.
    public func run(isInterrupted: @escaping () -> Bool = { false }, onFinding: (Finding) -> Void) {
        for look in ofMachine + ofConfiguration + ofServers(isInterrupted) where !isInterrupted() {
            for finding in look() { onFinding(finding) }
        }
    }

    private typealias Look = () -> [Finding]

    private var calls: Int { configuration[\.softphone.calls] }

    private var ofMachine: [Look] {
        [
            { DeviceFindings.look(devices, listed: listDevices(), machine) },
            {
                [
                    PriorityFinding.judge(
                        isGranted: PriorityFinding.isGranted, limit: PriorityFinding.limit,
                        isWanted: configuration[\.audio.realtime], machine)
                ]
            },
            { [ClockFindings.source(machine)] },
            { [ClockFindings.judge(ClockFindings.watch(seconds: watchSeconds))] },
            { [LimitFindings.memory(calls: calls, machine)] },
            { [LimitFindings.descriptors(calls: calls, limit: UInt64(DescriptorLimit.highest), machine)] },
        ]
    }

    /// Those of the service and of its accounts.
    private var devices: [String] {
        ([configuration[\.softphone.device] ?? "null"] + configuration[\.accounts].compactMap { $0[\.device] })
            .reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
    }

    private var ofConfiguration: [Look] {
        var looks: [Look] = []
        if let address = configuration[\.network.bind] {
            looks.append { [AddressFindings.bound(address, key: "network.bind", own: machineAddresses())] }
        }
        if !isRunning {
            let (address, port) = (configuration[\.softphone.address], UInt16(clamping: configuration[\.softphone.port]))
            looks.append { [PortFindings.tcp(address, port, key: "softphone.port")] }
            if let metrics = configuration[\.softphone.metricsPort] {
                let address = configuration[\.softphone.metricsAddress]
                looks.append { [PortFindings.tcp(address, UInt16(clamping: metrics), key: "softphone.metrics_port")] }
            }
            let sip = UInt16(clamping: configuration[\.softphone.sipPort])
            if sip != 0 {
                let address = configuration[\.network.bind] ?? IPAddress(v4: 0)
                looks.append { [PortFindings.sip(address, sip, key: "softphone.sip_port")] }
                if configuration[\.tls.certificate] != nil {
                    looks.append { [PortFindings.tls(address, behind: sip, key: "softphone.sip_port")] }
                }
            }
        }
        for (file, key) in [
            (configuration[\.tls.authorities], "tls.ca"), (configuration[\.tls.certificate], "tls.certificate"),
            (configuration[\.softphone.certificate], "softphone.certificate"),
        ] {
            guard let file else { continue }
            looks.append { [CertificateFindings.look(file, key: key, isAuthorities: key == "tls.ca", now: time(nil))] }
        }
        if let folder = configuration[\.softphone.folder] {
            looks.append { [SoundFindings.look(folder, isFolder: true, key: "softphone.folder")] }
        }
        if let file = configuration[\.softphone.programAnnouncement] {
            looks.append { [SoundFindings.look(file, isFolder: false, key: "softphone.program_announcement")] }
        }
        looks += DiskPlaces.of(configuration, environment).map { place in { [DiskFindings.look(place.folder, for: place.use)] }
        }
        return looks
    }

    private func ofServers(_ isInterrupted: @escaping () -> Bool) -> [Look] {
        let stun = configuration[\.network.stun].map { ($0, "stun") } + configuration[\.network.turn].map { ($0, "turn") }
        let names = stun.filter { $0.0.address == nil }.map(\.0.host)
        let hosts = (accountHosts + names).reduce(into: [String]()) { all, name in if !all.contains(name) { all.append(name) } }
        let configured = configuration[\.network.dns].map(\.description)
        let views = SharedViews()
        var looks: [Look] = [{ [NameFindings.servers(hosts, configured: configured, machine)] }]
        looks += names.map { name in { [NameFindings.look(name)] } }
        let authorities = configuration[\.network.turnCA]
        looks += stun.map { server, kind in
            {
                let (finding, seen) = ServerFindings.look(server, kind: kind, authorityFile: authorities)
                if let seen { views.value.note(seen, by: "the \(kind) server \(server)") }
                return [finding]
            }
        }
        for name in isRunning ? [] : configuration[\.accounts].compactMap(\.name) {
            looks.append {
                AccountFindings.look(
                    name, configuration, environment: environment, now: { Double(time(nil)) },
                    isInterrupted: isInterrupted, onSeen: { views.value.note($0, by: "the registrar of \(name)") })
            }
        }
        let findsWays = !stun.isEmpty && configuration[\.network.ice] != .off
        looks.append {
            [AddressFindings.judge(views.value, own: machineAddresses(), findsWays: findsWays)].compactMap(\.self)
        }
        return looks
    }

    /// What one look after the other brings together.
    private final class SharedViews { var value = AddressFindings.Views() }

    /// Names, not addresses, of the servers that accounts are registered at. Where they lead the account's own finding tells: there may
    /// be SRV records alone.
    private var accountHosts: [String] {
        configuration[\.accounts].compactMap { account in
            guard let place = account[\.registrar] ?? account[\.uri] else { return nil }
            let host = place.split(separator: "@").last.map { $0.hasPrefix("sip:") ? $0.dropFirst(4) : $0 }
            return host.flatMap { ServerName(String($0)) }.flatMap { $0.address == nil ? $0.host : nil }
        }
    }
}
