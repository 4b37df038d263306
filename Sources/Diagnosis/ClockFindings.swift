import Glibc
import Realtime
import Reporting

/// Whether the machine's clocks can be relied on, and whether it stands still.
package enum ClockFindings {
    /// Sources that a program reads without asking the kernel.
    private static let quick = [
        "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase",
    ]

    package static func source(_ machine: Machine) -> Finding {
        let subject = "clock source"
        guard let name = machine.line("/sys/devices/system/clocksource/clocksource0/current_clocksource") else {
            return Finding(subject, .machine, .advice, "the kernel does not tell", "give the process /sys to look at")
        }
        if quick.contains(name) { return .fine(subject, .machine, name) }
        let others = machine.line("/sys/devices/system/clocksource/clocksource0/available_clocksource") ?? ""
        let better = others.split(separator: " ").map(String.init).first { quick.contains($0) }
        return Finding(
            subject, .machine, .advice, "\(name), which costs a system call for each look at the clock",
            better.map { "on the host write \($0) into current_clocksource" }
                ?? "choose another clock source at the host's start")
    }

    /// How late a thread woke that slept a millisecond at a time, in milliseconds.
    package struct Wakes {
        package var longest = 0.0
        /// Times it was more than `stillMilliseconds` late.
        package var standstills = 0
        package var seconds = 0.0

        package init() {}
    }

    /// As long as buffers of sound bridge.
    package static let stillMilliseconds = 10.0

    /// Sleeps, a millisecond at a time.
    package static func watch(seconds: Double) -> Wakes {
        var wakes = Wakes()
        let start = HostTime.monotonicNow()
        var last = start
        while last.milliseconds(since: start) < 1000 * seconds {
            usleep(1000)
            let now = HostTime.monotonicNow()
            let late = now.milliseconds(since: last) - 1
            wakes.longest = max(wakes.longest, late)
            if late > stillMilliseconds { wakes.standstills += 1 }
            last = now
        }
        wakes.seconds = last.milliseconds(since: start) / 1000
        return wakes
    }

    package static func judge(_ wakes: Wakes) -> Finding {
        let subject = "standstills"
        let measured = "longest \(Text.fixed(wakes.longest, 1)) ms in \(Text.fixed(wakes.seconds, 1)) s"
        guard wakes.standstills > 0 else { return .fine(subject, .machine, measured) }
        return Finding(
            subject, .machine, .advice,
            "the machine stood still \(wakes.standstills) times for more than \(Text.fixed(stillMilliseconds, 0)) ms, \(measured)",
            "give it more of the processor (fewer neighbours, a higher --cpus), or calls a longer audio.period")
    }

    /// How far off a registrar's clock may be: what is signed or expires is judged by it.
    private static let clockSeconds = 60.0

    /// - Parameters:
    ///   - date: `Date` of a response (RFC 3261 section 20.17).
    ///   - now: ours, in seconds since 1970.
    package static func wallClock(_ date: String?, of account: String, now: Double) -> Finding? {
        guard let date, let theirs = seconds(date) else { return nil }
        let off = theirs - now
        let subject = "clock beside the registrar of \(account)"
        guard abs(off) > clockSeconds else { return .fine(subject, .machine, "\(Text.fixed(abs(off), 0)) s apart at most") }
        return Finding(
            subject, .machine, .advice,
            "this machine's is \(span(abs(off))) \(off > 0 ? "behind" : "ahead"), or the registrar's is wrong",
            "set it by NTP: certificates and records of calls are judged by it")
    }

    private static func span(_ seconds: Double) -> String {
        seconds < 172_800 ? "\(Text.fixed(seconds, 0)) s" : "\(Text.fixed(seconds / 86_400, 0)) days"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970 of `Sat, 13 Nov 2010 23:29:00 GMT`; `nil`: it is no such date.
    package static func seconds(_ date: String) -> Double? {
        let words = date.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else { return nil }
        let numbers = [words[1], words[3]].compactMap { Int32($0) } + words[4].split(separator: ":").compactMap { Int32($0) }
        guard numbers.count == 5, (1...31).contains(numbers[0]), (1970...9999).contains(numbers[1]) else { return nil }
        var parts = tm()
        (parts.tm_mday, parts.tm_mon, parts.tm_year) = (numbers[0], Int32(month), numbers[1] - 1900)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[2], numbers[3], numbers[4])
        return Double(timegm(&parts))
    }
}
