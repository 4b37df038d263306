import AudioDevices
import Testing

import Diagnosis

@Suite("The machine is looked at") struct MachineTests {
    private let podman = ["/run/.containerenv": ""]
    private let docker = ["/.dockerenv": ""]
    private let cards = ["/dev/snd/pcmC0D0p": "", "/dev/snd/controlC0": ""]

    private func remedy(_ files: [String: String], _ environment: [String: String] = [:]) throws -> String {
        let fixture = try MachineFixture(files: files)
        defer { fixture.remove() }
        return DeviceFindings.cards(fixture.machine(environment))
    }

    @Test("a container without cards is told the flag of its runtime")
    func noCards() throws {
        #expect(try remedy(podman).contains("--device /dev/snd --group-add audio"))
        #expect(try remedy(docker).contains("--device /dev/snd"))
        #expect(try remedy([:], ["KUBERNETES_SERVICE_HOST": "10.0.0.1"]).contains("device plugin"))
        #expect(try remedy([:]).contains("the machine has no sound cards"))
    }

    @Test("cards that a masked /proc/asound hides are told apart, with the flag that shows them")
    func masked() throws {
        #expect(try remedy(podman.merging(cards) { a, _ in a }).contains("--security-opt unmask=/proc/asound"))
        #expect(try remedy(docker.merging(cards) { a, _ in a }).contains("systempaths=unconfined"))
        let seen = podman.merging(cards) { a, _ in a }.merging(["/proc/asound/cards": " 0 [PCH ]"]) { a, _ in a }
        #expect(try remedy(seen).contains("yodel devices"), "nothing is hidden")
    }

    @Test("devices that are no hardware need none; what opens is fine; what does not has a reason and a remedy")
    func devices() throws {
        let fixture = try MachineFixture(files: podman)
        defer { fixture.remove() }
        let machine = fixture.machine()
        #expect(DeviceFindings.look(["null", "echo", "room:office"], listed: [], machine).map(\.grade) == [.fine])
        let good = DeviceListing(
            name: "alsa:default", description: "", capture: .init(opens: true), playback: .init(opens: true))
        #expect(DeviceFindings.look(["default"], listed: [good], machine)[0].grade == .fine)
        var bad = good
        bad.capture = .init(opens: false, reason: "no such card", remedy: "plug one in")
        let found = DeviceFindings.look(["alsa:default", "alsa:none"], listed: [bad], machine)
        #expect(found.map(\.grade) == [.trouble, .trouble] && found[0].detail == "no such card")
        #expect(found.allSatisfy { !$0.remedy.isEmpty && $0.area == .device })
    }

    @Test("a device that opens is fine though it is not listed")
    func unlisted() throws {
        let fixture = try MachineFixture()
        defer { fixture.remove() }
        func finding(_ name: String, opens: Bool) -> Finding {
            DeviceFindings.look([name], listed: [], fixture.machine()) {
                DeviceListing(name: $0, description: $0, capture: .init(opens: true), playback: .init(opens: opens))
            }[0]
        }
        #expect(finding("alsa:plug:null", opens: true).grade == .fine)
        #expect(finding("plughw:0,0", opens: false).grade == .trouble)
        #expect(DeviceListing(trying: "null").opens && !DeviceListing(trying: "alsa:no_such_device").opens)
    }

    @Test("real time that is refused has the remedy of what runs the process")
    func priority() throws {
        func finding(
            _ files: [String: String] = [:], _ environment: [String: String] = [:], granted: Bool = false, limit: UInt64 = 0
        )
            throws -> Finding
        {
            let fixture = try MachineFixture(files: files)
            defer { fixture.remove() }
            return PriorityFinding.judge(isGranted: granted, limit: limit, isWanted: true, fixture.machine(environment))
        }
        #expect(try finding(granted: true).grade == .fine)
        #expect(try finding().remedy.contains("limits.d"))
        #expect(try finding(podman).remedy.contains("--ulimit rtprio=20"))
        #expect(try finding([:], ["container": "podman"]).remedy.contains("--ulimit rtprio=20"))
        #expect(try finding([:], ["INVOCATION_ID": "1", "NOTIFY_SOCKET": "/x"]).remedy.contains("LimitRTPRIO=20"))
        #expect(try finding(podman, limit: 20).remedy.contains("cpu.rt_runtime_us"))
        let fixture = try MachineFixture()
        defer { fixture.remove() }
        #expect(PriorityFinding.judge(isGranted: false, limit: 0, isWanted: false, fixture.machine()).grade == .fine)
    }

    @Test("a slow clock source is told with a better one that there is")
    func clockSource() throws {
        let folder = "/sys/devices/system/clocksource/clocksource0/"
        func finding(_ current: String?, _ available: String = "") throws -> Finding {
            let fixture = try MachineFixture(
                files: current.map { [folder + "current_clocksource": $0 + "\n", folder + "available_clocksource": available] }
                    ?? [:])
            defer { fixture.remove() }
            return ClockFindings.source(fixture.machine())
        }
        #expect(try finding("tsc").grade == .fine && finding("arch_sys_counter").grade == .fine)
        let slow = try finding("hpet", "tsc hpet acpi_pm\n")
        #expect(slow.grade == .advice && slow.remedy.contains("tsc"))
        #expect(try finding(nil).grade == .advice)
    }

    @Test("a machine that stood still is told so, one that did not is fine; watching takes its time")
    func standstills() {
        var wakes = ClockFindings.Wakes()
        (wakes.longest, wakes.seconds) = (3, 2)
        #expect(ClockFindings.judge(wakes).grade == .fine)
        (wakes.longest, wakes.standstills) = (45, 2)
        #expect(ClockFindings.judge(wakes).grade == .advice && ClockFindings.judge(wakes).detail.contains("45.0 ms"))
        let seen = ClockFindings.watch(seconds: 0.1)
        #expect(seen.seconds >= 0.1 && seen.longest > 0)
    }

    @Test("memory and descriptors are held against what the calls take")
    func limits() throws {
        func memory(_ files: [String: String], calls: Int) throws -> Finding {
            let fixture = try MachineFixture(files: files)
            defer { fixture.remove() }
            return LimitFindings.memory(calls: calls, fixture.machine())
        }
        let free = ["/proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n"]
        #expect(try memory(free, calls: 32).grade == .fine)
        let limited = free.merging(["/sys/fs/cgroup/memory.max": "67108864\n"]) { a, _ in a }
        #expect(try memory(limited, calls: 32).remedy.contains("memory.max") && memory(limited, calls: 32).grade == .advice)
        let inPodman = limited.merging(podman) { a, _ in a }
        #expect(try memory(inPodman, calls: 32).remedy.contains("--memory 256m"))
        // A unit's own group, and one around it.
        let own = ["/proc/self/cgroup": "0::/system.slice/yodel.service\n"].merging(free) { a, _ in a }
        for group in ["/system.slice/yodel.service", "/system.slice"] {
            let files = own.merging(["/sys/fs/cgroup\(group)/memory.max": "67108864\n"]) { a, _ in a }
            #expect(try memory(files, calls: 32).detail.contains("limited to 64 MiB"), "\(group)")
        }
        #expect(try memory(free.merging(["/sys/fs/cgroup/memory.max": "max\n"]) { a, _ in a }, calls: 32).grade == .fine)
        #expect(try memory(free, calls: 1000).grade == .advice && memory([:], calls: 1).grade == .advice)
        func descriptors(_ calls: Int, _ limit: UInt64, _ files: [String: String] = [:]) throws -> Finding {
            let fixture = try MachineFixture(files: files)
            defer { fixture.remove() }
            return LimitFindings.descriptors(calls: calls, limit: limit, fixture.machine())
        }
        #expect(try descriptors(32, 16_384).grade == .fine)
        #expect(try descriptors(100, 1024).grade == .trouble && descriptors(100, 1024).remedy.contains("ulimit -n 2528"))
        #expect(try descriptors(100, 1024, podman).remedy.contains("--ulimit nofile=2528:2528"))
    }
}
