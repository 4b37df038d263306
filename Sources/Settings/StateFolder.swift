/// Where a person's programs keep what they know from one start to the next.
public enum StateFolder {
    /// `$XDG_STATE_HOME/yodel`, else `~/.local/state/yodel`.
    /// - Parameter environment: of the process.
    /// - Returns: nil: neither variable names a place.
    public static func path(environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/yodel" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/state/yodel" }
        return nil
    }

    /// The file with the token of a service that was not given one.
    /// - Parameter folder: the state folder.
    /// - Returns: its path.
    public static func tokenFile(in folder: String) -> String { folder + "/token" }
}
