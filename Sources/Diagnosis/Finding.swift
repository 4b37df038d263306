import Reporting

/// One thing that was looked at: fine, or what is wrong and what to do.
public struct Finding: Sendable, Equatable {
    public enum Grade: String, Sendable, CaseIterable {
        case fine
        /// It works, but could be better or soon will not.
        case advice
        /// Calls do not work, or not well, until it is mended.
        case trouble
    }

    /// What kind of thing it is about: it decides how a program ends that found trouble.
    public enum Area: String, Sendable, CaseIterable { case device, machine, configuration, network, authentication }

    public var subject: String
    public var area: Area
    public var grade: Grade
    /// What was found. It may have words of the network in it.
    public var detail: String
    /// What to do; empty where all is fine.
    public var remedy: String

    init(_ subject: String, _ area: Area, _ grade: Grade, _ detail: String, _ remedy: String = "") {
        (self.subject, self.area, self.grade, self.detail, self.remedy) = (subject, area, grade, detail, remedy)
    }

    /// Of an account of a service that runs.
    public init(account: String, isRegistered: Bool, detail: String) {
        self.init(
            "account \(account)", .network, isRegistered ? .fine : .trouble, isRegistered ? "registered" : detail,
            isRegistered ? "" : "`yodel accounts --check` tells each step")
    }

    static func fine(_ subject: String, _ area: Area, _ detail: String) -> Finding {
        Finding(subject, area, .fine, detail)
    }

    /// For people: one line.
    public var text: String {
        let end = remedy.isEmpty ? "" : "; \(remedy)"
        return "\(grade == .fine ? "fine" : grade.rawValue.uppercased()) \(subject): \(detail)\(end)"
    }

    /// For programs.
    public var json: JSONValue {
        .object([
            JSONMember("subject", .string(subject)), JSONMember("area", .string(area.rawValue)),
            JSONMember("grade", .string(grade.rawValue)), JSONMember("detail", .string(detail)),
            JSONMember("remedy", remedy.isEmpty ? .null : .string(remedy)),
        ])
    }
}
