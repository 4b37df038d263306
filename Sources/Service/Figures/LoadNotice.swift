import Media

/// What the log is told of a machine that does not keep up with its calls: a line for each step, and one when it is over.
package struct LoadNotice {
    private var relief = LoadRelief.Level.none
    private var admits = true

    package init() {}

    /// - Parameter figures: how the threads of calls keep up now.
    /// - Returns: what is new; `nil`: nothing is.
    package mutating func look(_ figures: LoopFigures) -> String? {
        guard figures.relief != relief || figures.admits != admits else { return nil }
        (relief, admits) = (figures.relief, figures.admits)
        if relief == .none, admits { return "the machine keeps up with its calls again: nothing is given up" }
        let encoders =
            switch relief {
            case .none: "encoders work as was asked for"
            case .newEncoders: "encoders of new calls work less"
            case .allEncoders: "encoders of all calls work less"
            case .leastWork: "encoders of all calls work as little as they can"
            }
        return "the machine has too much to do for its calls: \(encoders)"
            + (admits ? "" : "; nobody new is let in") + " (GET /v1/load); fewer calls or more cores help"
    }
}
