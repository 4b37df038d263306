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

    /// Webhooks that a configuration has, each ready: nothing of it can fail any more.
    package struct Change: Sendable {
        fileprivate let hooks: [(hook: Webhook, settings: WebhookSettings)]
    }

    /// Makes ready what is wanted; nothing changes yet.
    /// - Parameter wanted: every webhook of a configuration.
    /// - Throws: what one of them lacks.
    package func prepare(_ wanted: [WebhookSettings]) throws(SoftphoneError) -> Change {
        let known = hooks.withLock { $0 }
        var new: [(hook: Webhook, settings: WebhookSettings)] = []
        for settings in wanted {
            if let same = known.first(where: { $0.name == settings.name }) {
                new.append((same, settings))
                continue
            }
            disk.start()
            new.append((Webhook(settings, events, try spool(settings.name), disk: disk, client: client), settings))
        }
        return Change(hooks: new)
    }

    /// Has these from now on. One that is there already goes on with what waits for it; what waits for one that is gone is dropped.
    /// - Parameter change: of the last `prepare`.
    package func take(_ change: Change) {
        let known = hooks.withLock { hooks in
            defer { hooks = change.hooks.map(\.hook) }
            return hooks
        }
        let place = events.position.sequence
        for (hook, settings) in change.hooks {
            if !known.contains(where: { $0 === hook }) {
                hook.start(after: place)
            } else if hook.settings != settings {
                hook.change(to: settings, after: place)
            }
        }
        for hook in known where !change.hooks.contains(where: { $0.hook === hook }) {
            let count = hook.drop()
            former.withLock { $0 = $0 + hook.figures }
            logger.log(
                level: count > 0 ? .warning : .notice,
                "the webhook \(hook.name) is gone; \(count) events that waited for it are dropped")
        }
    }

    /// Has these from now on.
    /// - Parameter wanted: every webhook of a configuration.
    package func change(_ wanted: [WebhookSettings]) throws(SoftphoneError) { take(try prepare(wanted)) }

    private func spool(_ name: String) throws(SoftphoneError) -> WebhookSpool {
        guard let folder else {
            throw .request(
                "webhooks want a folder where events wait, from the service's start on; set softphone.webhook_spool and start it "
                    + "anew")
        }
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
