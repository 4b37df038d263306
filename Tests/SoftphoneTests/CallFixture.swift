import AudioDevices
import Codecs
import Glibc
import Reporting
import Settings
import Softphone
import Testing

/// Real time a call on this machine may take for anything, s: only what hangs takes so long.
let patienceSeconds = 60.0

extension CallRequest {
    /// A call on a device of that name, without voice processing and real-time priority.
    static func test(
        _ uris: [String], role: CallURI.Role, device: String = "null", codec: Codec = .pcmu
    ) throws -> CallRequest {
        let specification = try DeviceChoice.device(device)
        var choice = DeviceChoice(input: specification, output: specification)
        choice.realtime = false
        var media = MediaRequest(device: choice, codec: codec)
        media.voiceProcessing = false
        media.reportIntervalSeconds = 1
        media.seed = 7
        return CallRequest(try uris.map { try CallURI(parsing: $0, role: role) }, role: role, media: media)
    }
}

/// A call and everything that it told so far.
final class Followed {
    let call: any LiveCall
    private let subscription: EventSubscription<PartyEvent>
    private(set) var events: [PartyEvent] = []
    private(set) var isOver = false

    convenience init(_ request: CallRequest) throws { try self.init(of: try Softphone().start(request)) }

    init(of call: any LiveCall) throws {
        self.call = call
        subscription = try call.subscribe()
    }

    var types: [String] { events.map(\.body.type) }

    /// Takes what is told until `condition` holds.
    func wait(_ what: Comment, until condition: (Followed) -> Bool) throws {
        let end = ContinuousClock.now + .seconds(patienceSeconds)
        while !condition(self) {
            try #require(ContinuousClock.now < end, what)
            var entry = pollfd(fd: subscription.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 100)
            take()
            if isOver, !condition(self) {
                Issue.record(what)
                return
            }
        }
    }

    /// Ends the call and takes the rest.
    func close() -> [CallReport] {
        let reports = call.close().map(\.report)
        take()
        return reports
    }

    /// Where a listener waits.
    func address() throws -> String {
        try wait("the listener tells where it waits") { $0.types.contains("call_started") }
        for event in events { if case .callStarted(_, let local, _, _) = event.body { return local } }
        throw NoAddress()
    }

    private struct NoAddress: Error {}

    private func take() {
        let batch = subscription.take()
        events += batch.values
        isOver = batch.isLast
    }
}
