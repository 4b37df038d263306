import Glibc

/// What the process uses of the machine, as `/proc` tells; what it does not tell is 0.
enum ProcessFigures {
    /// Time on the processor, in seconds.
    static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// Memory that is in use now (RSS), in bytes.
    static var residentBytes: Int {
        let words = ProcFile.text("/proc/self/statm")?.split(separator: " ") ?? []
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    static var openDescriptors: Int { ProcFile.entries("/proc/self/fd") }
    static var threads: Int { ProcFile.entries("/proc/self/task") }

    /// How long something runnable had to wait for a processor since the machine started (pressure stall information), in seconds;
    /// 0 where the kernel does not count it.
    static var stalledSeconds: Double {
        guard let line = ProcFile.text("/proc/pressure/cpu")?.split(separator: "\n").first,
            let total = line.split(separator: "=").last.flatMap({ Double($0) })
        else { return 0 }
        return total / 1e6
    }
}

/// Small files that the kernel makes when they are read.
enum ProcFile {
    /// - Returns: `nil` where there is no such file.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Entries of a folder.
    static func entries(_ path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        // The folder itself and the one above begin with a dot.
        while let entry = readdir(folder) { if entry.pointee.d_name.0 != 46 { count += 1 } }
        return count
    }
}
