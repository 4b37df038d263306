import Settings

/// Where a configuration has things written.
enum DiskPlaces {
    /// - Parameter environment: `XDG_STATE_HOME` and `HOME` of the process.
    static func of(_ configuration: Configuration, _ environment: [String: String]) -> [(folder: String, use: String)] {
        var places: [(folder: String, use: String)] = []
        if let state = environment["XDG_STATE_HOME"] ?? environment["HOME"].map({ "\($0)/.local/state" }) {
            places.append((existing(state), "state"))
        }
        if let history = configuration[\.softphone.history] {
            places.append((parent(of: history), "history"))
        }
        if let recordings = configuration[\.softphone.recordings] { places.append((recordings, "recordings")) }
        if let spool = configuration[\.softphone.webhookSpool] { places.append((spool, "webhooks")) }
        if let bundles = configuration[\.softphone.bundles] {
            // It is made when it is needed, the folders above it are not.
            let isThere = Machine(environment: [:]).exists(bundles)
            places.append((isThere ? bundles : parent(of: bundles), "bundles"))
        }
        return places
    }

    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        return (path.hasPrefix("/") ? "/" : parts.isEmpty ? "." : "") + parts.joined(separator: "/")
    }

    /// The folder, or the nearest above it that there is: what is missing is made when it is needed.
    private static func existing(_ path: String) -> String {
        var parts = path.split(separator: "/")
        let root = path.hasPrefix("/") ? "/" : "./"
        let machine = Machine(environment: [:])
        while !parts.isEmpty, !machine.exists(root + parts.joined(separator: "/")) { parts.removeLast() }
        return root + parts.joined(separator: "/")
    }
}
