import AudioUnits
import Realtime

/// The audited devices of one call.
public final class AuditBook: Sendable {
    private let devices = Lock<[AuditedDevice]>([])

    public init() {}

    /// For `LoopbackPlan.wrapDevice`.
    public var wrap: @Sendable (any HardwareDevice) -> any HardwareDevice {
        { device in
            let audited = AuditedDevice(device)
            self.devices.withLock { $0.append(audited) }
            return audited
        }
    }

    /// What was found of each device in each direction; read it after the call.
    public var findings: [AuditFindings] { devices.withLock { $0.flatMap { [$0.capture, $0.playback] } } }

    /// Why the contract was not kept by a call of two sides with at least `scopes` callbacks in each direction; empty
    /// when it was.
    public func complaints(scopes: Int) -> [String] {
        let findings = findings
        guard findings.count == 4 else { return ["\(findings.count / 2) devices were audited instead of 2"] }
        return zip(["A captures", "A plays", "B captures", "B plays"], findings)
            .filter { !$1.isClean || $1.scopes < scopes }.map { "\($0): \($1)" }
    }
}
