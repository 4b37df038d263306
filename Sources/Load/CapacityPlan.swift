import Reporting
import Settings
import Softphone

/// What `yodel capacity` is to find: for which calls, by which objective, in what time.
struct CapacityPlan {
    /// What a call must keep where nobody says otherwise.
    static let usualObjective = "p99(mouth_to_ear_ms)<100,gaps==0"
    private static let secondsAllowed = 20.0...600.0

    let media: MediaRequest
    let objective: [Assertion]
    let seconds: Double
    let seed: UInt64
    let kinds: [WorkKind]
    let virtualSeconds: Double?
    /// Whether calls are made at all.
    let isLive: Bool

    /// Checks everything; nothing is measured yet.
    /// - Throws: `SoftphoneError`, `AssertionError`: what, where, what to do.
    init(_ arguments: CapacityArguments, _ configuration: Configuration) throws {
        var media = try MediaRequest(configuration)
        media.seed = arguments.seed
        self.media = media
        guard Self.secondsAllowed.contains(arguments.seconds) else {
            throw SoftphoneError.request("--seconds \(arguments.seconds) is out of range; give 20 to 600")
        }
        (seconds, seed) = (arguments.seconds, arguments.seed)
        objective = try (arguments.slo ?? Self.usualObjective).split(separator: ",").map {
            (text) throws(SoftphoneError) -> Assertion in
            do { return try Assertion(parsing: String(text), known: LoadReport.comparablePaths) } catch {
                throw .request("\(error)".replacing("in --assert '", with: "in --slo '"))
            }
        }
        guard !objective.isEmpty else { throw SoftphoneError.request("--slo is empty; give \(Self.usualObjective)") }
        var kinds = WorkKind.all(
            media, srtp: arguments.srtp, voiceProcessing: arguments.voiceProcessing, speech: arguments.play,
            seed: arguments.seed)
        if let name = arguments.work {
            let known = kinds.map(\.name).joined(separator: ", ")
            kinds = kinds.filter { $0.name == name }
            guard !kinds.isEmpty else { throw SoftphoneError.request("--work \(name) is unknown; there are \(known)") }
        }
        if let given = arguments.virtualSeconds, !(given > 0 && given <= 3600) {
            throw SoftphoneError.request("--virtual-seconds \(given) is out of range; give up to 3600")
        }
        self.kinds = kinds
        virtualSeconds = arguments.virtualSeconds
        isLive = !arguments.offline && arguments.work == nil
    }
}
