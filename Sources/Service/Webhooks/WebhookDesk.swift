import NIOPosix
import Realtime
import Reporting
import Softphone
import WebClient

/// Every webhook there is. Any thread may call any function.
package final class WebhookDesk: Sendable {
    private let hooks = Lock<[Webhook]>([])
    /// Of those that are gone.
    private let former = Lock(Webhook.Figures())
    private let events: EventSpool
    private let folder: String?
    private let byteLimit: Int
    private let client: WebClient
    private let disk = NIOThreadPool(numberOfThreads: 1)

    /// - Parameters:
    ///   - folder: where events wait; must be there. `nil`: there can be no webhooks.
    ///   - byteLimit: of what waits for one.
    ///   - authorities: PEM file of those that receivers' certificates may be from; `nil`: the system's.
    package init(_ events: EventSpool, folder: String?, byteLimit: Int, authorities: String? = nil) {
        (self.events, self.folder, self.byteLimit) = (events, folder, byteLimit)
        client = WebClient(authorities: authorities)
    }

    /// Takes these from now on: those that have changed go on with what waits for them.
    package func change(_ wanted: [WebhookSettings]) throws(SoftphoneError) {
        let known = hooks.withLock { $0 }
        guard wanted != known.map(\.settings) else { return }
        var new: [Webhook] = []
        var first: [Webhook] = []
        for settings in wanted {
            if let same = known.first(where: { $0.settings == settings }) {
                new.append(same)
                continue
            }
            disk.start()
            // What an earlier form of it has yet to write goes to the same place.
            let earlier = known.first { $0.settings.name == settings.name }
            let hook = Webhook(settings, events, try spool(settings.name, earlier), disk: disk, client: client)
            new.append(hook)
            first.append(hook)
        }
        for hook in known where !new.contains(where: { $0 === hook }) {
            hook.cancel()
            former.withLock { $0 = $0 + hook.figures }
        }
        hooks.withLock { $0 = new }
        let place = events.position.sequence
        for hook in first { hook.start(after: place) }
    }

    private func spool(_ name: String, _ earlier: Webhook?) throws(SoftphoneError) -> WebhookSpool {
        if let earlier { return earlier.spool }
        guard let folder else { throw .request("webhooks want a folder where events wait; set softphone.webhook_spool") }
        do throws(SpoolFailure) { return try WebhookSpool(folder: "\(folder)/\(name)", byteLimit: byteLimit) } catch {
            throw .request(
                "\(folder)/\(name) cannot be used (\(error)), in softphone.webhook_spool; make the folder, and let the program's "
                    + "user write there")
        }
    }

    /// Once the service's events have ended: what was told is on the disk when this returns.
    package func finish() async {
        for hook in hooks.withLock({ $0 }) { await hook.finish() }
        try? await disk.shutdownGracefully()
    }

    /// Of all, those that are gone too.
    var figures: Webhook.Figures {
        hooks.withLock { $0 }.reduce(former.withLock { $0 }) { $0 + $1.figures }
    }

    var waiting: Int { hooks.withLock { $0 }.reduce(0) { $0 + $1.waiting } }

    var json: JSONValue { .array(hooks.withLock { $0 }.map(\.json)) }
}

extension Webhook.Figures {
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.delivered += right.delivered
        sum.failed += right.failed
        sum.dropped += right.dropped
        return sum
    }
}

extension Webhook {
    var json: JSONValue {
        let figures = figures
        func count(_ value: UInt64) -> JSONValue { .integer(Int(clamping: value)) }
        return .object([
            JSONMember("name", .string(settings.name)), JSONMember("host", .string(settings.address.text)),
            JSONMember("events", .array(settings.events.map { .string($0) })), JSONMember("waiting", .integer(waiting)),
            JSONMember("delivered", count(figures.delivered)), JSONMember("failed", count(figures.failed)),
            JSONMember("dropped", count(figures.dropped)),
            JSONMember("trouble", figures.trouble.map { .string($0) } ?? .null),
            JSONMember("next_try", figures.nextTry.map { .string($0.text) } ?? .null),
        ])
    }
}

/// The route of webhooks: who they are is in the configuration alone.
enum WebhookRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/webhooks") { service, _ in .json([JSONMember("webhooks", service.webhooks.json)].object) }
    ]
}
