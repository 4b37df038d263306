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

    /// Why the contract was not kept by `devices` devices with at least `scopes` callbacks in each direction; empty when it was.
    public func complaints(devices count: Int = 2, scopes: Int) -> [String] {
        let findings = findings
        guard findings.count == 2 * count else { return ["\(findings.count / 2) devices were audited instead of \(count)"] }
        return findings.enumerated().filter { !$0.element.isClean || $0.element.scopes < scopes }.map { index, finding in
            let side = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index / 2)))
            return "\(side) \(index % 2 == 0 ? "captures" : "plays"): \(finding)"
        }
    }
}
