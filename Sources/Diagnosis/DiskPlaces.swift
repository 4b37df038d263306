import Settings

/// Where a configuration has things written.
enum DiskPlaces {
    /// - Parameter environment: `XDG_STATE_HOME` and `HOME` of the process.
    static func of(_ configuration: Configuration, _ environment: [String: String]) -> [(folder: String, use: String)] {
        let state = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { "\($0)/.local/state" }
        return state.map { [(existing($0), "state")] } ?? []
    }

    /// The folder, or the nearest above it that there is: what is missing is made when it is needed.
    private static func existing(_ path: String) -> String {
        var parts = path.split(separator: "/")
        let machine = Machine(environment: [:])
        while !parts.isEmpty, !machine.exists("/" + parts.joined(separator: "/")) { parts.removeLast() }
        return "/" + parts.joined(separator: "/")
    }
}
