import Link
import LiveMedia
import Media
import Network
import Realtime
import Reporting
import Settings

/// A port at which many call, as its owner sees it: no device, each call with an id, events and a report of its own.
///
/// ```
/// CallRequest -> PartyPort: events of calls that come and go, figures of all, a report of each at its end
/// ```
public final class PartyPort {
    /// Callers that a port without a device takes at a time.
    public static let partiesAllowed = 1...10_000

    /// What happened to one of the calls.
    public struct CallNews: Sendable {
        /// The call's number since the port was opened, from 0 on.
        public let call: Int
        public let body: EventBody
    }

    /// Where it listens, as text.
    public let local: String
    /// The codec that its calls begin with.
    public let codec: String
    private let media: MediaRequest
    private let port: CallPort
    /// What was asked for and granted, in every report.
    private let requested: [String: String]
    private let effective: [String: String]
    private var times: [UInt64: (start: HostTime, mediaStart: HostTime?)] = [:]

    /// Whether a request is for this kind of port: several callers and nobody at a device.
    public static func serves(_ request: CallRequest) -> Bool {
        guard request.role == .listen, let parties = request.parties, let uri = request.uris.first else { return false }
        let media = request.media
        if parties > CallRequest.partiesAllowed.upperBound || recordsInFolder(media) { return true }
        // Who speaks another codec is heard in the conference that converts.
        if uri.takesAnyCodec, !request.echoes { return false }
        let hasDevice = media.device.input != .null || media.device.output != .null
        return media.recordPath == nil && media.capturePath == nil && media.dumpFolder == nil && (request.echoes || !hasDevice)
    }

    /// Whether recordings are to go into a folder, one of each call.
    public static func recordsInFolder(_ media: MediaRequest) -> Bool {
        media.recordPath.map { PathCheck.isFolder($0) == true } ?? false
    }

    /// Opens the port; callers are taken from now on.
    ///
    /// Blocks while a host name is looked up.
    public init(_ request: CallRequest) throws(SoftphoneError) {
        guard let uri = request.uris.first, request.uris.count == 1, let parties = request.parties,
            Self.partiesAllowed.contains(parties)
        else {
            throw .request("one port takes 1 to \(Self.partiesAllowed.upperBound) parties; give --parties so many")
        }
        if uri.takesAnyCodec, !request.echoes, request.media.playPath == nil {
            throw .request("codec=any makes no conference without a device; give one codec, or --echo")
        }
        media = request.media
        if media.ring != nil || media.isDeviceAnOption && (media.device.input != .null || media.device.output != .null) {
            throw .request(
                "a port of many callers has no device, in \(media.ring != nil ? "--ring" : "--device"); leave it out, or have "
                    + "a conference of up to \(CallRequest.partiesAllowed.upperBound) at the device")
        }
        let seed = media.seed ?? .random(in: .min ... .max)
        let configuration = try Softphone().configuration(of: uri, request, seed: seed)
        codec = configuration.codec.name
        var plan = PortPlan(
            configuration: configuration, parties: parties,
            sound: request.echoes ? .echo : media.playPath == nil && media.recordPath == nil ? .conference : .announcement)
        if uri.tellsLevels, plan.sound != .conference {
            throw .request("level and speakers are for a conference; leave out --echo, --play and --record, or them")
        }
        if media.recordPath != nil {
            guard Self.recordsInFolder(media), let folder = media.recordPath else {
                throw .request("without a device each call is recorded by itself; give --record a folder that is there")
            }
            plan.recordingFolder = folder
        }
        plan.allow = media.allow
        plan.realtime = media.device.realtime
        plan.pinsThreads = media.device.pinsThreads
        port = try Self.open(plan, uri, bind: media.bind)
        local = "\(port.local)"
        let priority = if case .realtime(let priority) = port.policy { String(priority) } else { "none" }
        requested = ["codec": codec, "media_priority": media.device.realtime ? String(CallSession.mediaPriority) : "none"]
        effective = ["codec": codec, "device": "none", "media_priority": priority]
    }

    private static func open(_ plan: PortPlan, _ uri: CallURI, bind: IPAddress?) throws(SoftphoneError) -> CallPort {
        let rtcp: RTCPTransport = uri.rtcp == .mux ? .mux : .separate()
        let addresses: [IPAddress]
        do throws(NetworkError) {
            addresses = if let bind { [bind] } else { try resolve(host: uri.host, port: uri.port).map(\.address) }
        } catch {
            throw .network(error)
        }
        var first: SoftphoneError?
        for address in addresses {
            do throws(CallPortError) {
                return try CallPort(plan, bind: address, localPort: uri.port, rtcp: rtcp)
            } catch {
                first = first ?? SoftphoneError(error)
            }
        }
        throw first ?? .request("\(uri.host) has no address; give another one")
    }

    /// Readable while news wait.
    public var eventDescriptor: Int32 { port.eventDescriptor }

    /// The latest figures of all calls, at most a second old.
    public var figures: PortFigures { port.figures }

    /// What went wrong with files since the last time, for a person.
    public func takeFileWarnings() -> [String] { port.takeFileWarnings() }

    /// What happened since the last time, oldest first. A call's last news are `callEnded` and its `report`.
    public func takeNews() -> [CallNews] { port.takeEvents().flatMap { news(of: $0) } }

    private func news(of event: PortEvent) -> [CallNews] {
        let remote = "\(event.remote)"
        let bodies: [EventBody]
        switch event.body {
        case .began:
            times[event.call] = (.monotonicNow(), nil)
            bodies = [.callStarted(remote: remote, local: local, codec: codec, device: "none")]
        case .warning(let text): bodies = [.warning(text)]
        case .call(let call):
            if call == .mediaStarted { times[event.call]?.mediaStart = .monotonicNow() }
            let times = times[event.call] ?? (.monotonicNow(), nil)
            bodies = [EventBody(call, remote: remote, start: times.start, mediaStart: times.mediaStart)]
        case .ended(let reason, let seconds, let statistics):
            times[event.call] = nil
            var report = CallReport()
            report.durationSeconds = seconds
            (report.requested, report.effective) = (requested, effective)
            report.reason = reason.rawValue
            report.statistics = statistics
            let explanation = reason.explanation(of: remote, wasHeard: true)
            bodies = [
                .callEnded(reason: reason.rawValue, durationSeconds: seconds, explanation: explanation), .report(report),
            ]
        }
        return bodies.map { CallNews(call: Int(truncatingIfNeeded: event.call), body: $0) }
    }

    /// Hangs up on everybody, and closes port and files; once. News that wait can still be taken.
    public func close(byDuration: Bool) { port.close(byDuration ? .duration : .localHangup) }
}

extension SoftphoneError {
    package init(_ error: CallPortError) {
        self =
            switch error {
            case .codec(let error): .codec(error)
            case .network(let error): .network(error)
            case .resources(let text): .resources(text)
            }
    }
}
