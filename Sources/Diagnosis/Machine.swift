import Glibc

/// The files by which the kernel and a container's runtime tell of the machine. Below another root stand those of another machine, as
/// they were recorded.
public struct Machine: Sendable {
    let root: String
    let environment: [String: String]

    /// - Parameters:
    ///   - root: what stands before every path; empty: this machine.
    ///   - environment: of the process.
    public init(root: String = "", environment: [String: String]) { (self.root, self.environment) = (root, environment) }

    /// The first line of a small file; `nil`: there is none that can be read.
    func line(_ path: String) -> String? { lines(path)?.first }

    /// - Returns: `nil`: there is no such file, or it cannot be read.
    func lines(_ path: String) -> [String]? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        return String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Names in a folder; `nil`: there is none that can be read.
    func names(_ path: String) -> [String]? {
        guard let folder = opendir(root + path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Folders of the process's control group (version 2) and of those above it, the innermost first. The root's is also that of a
    /// container which sees no other.
    var controlGroups: [String] {
        let own = lines("/proc/self/cgroup")?.first { $0.hasPrefix("0::") }?.dropFirst(3) ?? ""
        var parts = own.split(separator: "/").filter { $0 != ".." }
        var folders: [String] = []
        while !parts.isEmpty {
            folders.append("/sys/fs/cgroup/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
        return folders + ["/sys/fs/cgroup"]
    }

    /// What the process runs in.
    public var runtime: ContainerRuntime {
        if environment["KUBERNETES_SERVICE_HOST"] != nil { return .kubernetes }
        // What podman mounts over /run in a container that is read only hides its file; it also sets the variable.
        if exists("/run/.containerenv") || environment["container"] == "podman" { return .podman }
        if exists("/.dockerenv") { return .docker }
        if environment["INVOCATION_ID"] != nil && environment["NOTIFY_SOCKET"] != nil { return .systemd }
        return .none
    }
}

/// What starts the process, and so where it is told what it may have.
public enum ContainerRuntime: String, Sendable, CaseIterable {
    case docker, podman, kubernetes, systemd, none

    var isContainer: Bool { [.docker, .podman, .kubernetes].contains(self) }
}
