import Reporting
import SecureRTP
import Settings
import Softphone
import WebClient

/// One webhook as the configuration says: who is told what, and by which secret the telling is signed.
package struct WebhookSettings: Sendable, Equatable {
    package let name: String
    let address: WebAddress
    let key: Secret
    /// Types of events, of `WebhookEvents`; empty: all.
    let events: [String]

    /// - Parameters:
    ///   - name: of letters, digits, `-` and `_`: a folder is called so.
    ///   - secret: 16 bytes or more, or `whsec_` and their base 64, as Standard Webhooks write it.
    package init(_ name: String, url: String, secret: String, events: [String] = []) throws(SoftphoneError) {
        guard (1...64).contains(name.utf8.count), name.wholeMatch(of: #/[A-Za-z0-9_-]+/#) != nil else {
            throw .request("'\(name.prefix(80))' is no name for a webhook, below webhooks:; use letters, digits, - and _")
        }
        guard let address = WebAddress(url) else {
            throw .request(
                "'\(url.prefix(200))' is no URL of a webhook, in webhooks.\(name).url; write https://HOST[:PORT]/PATH")
        }
        if let wrong = events.first(where: { !WebhookEvents.all.contains($0) }) {
            let hint =
                nearestName(to: wrong, among: WebhookEvents.all).map { "did you mean \($0)?" } ?? "docs/softphone.md lists them"
            throw .request("'\(wrong.prefix(80))' is no event that is posted, in webhooks.\(name).events; \(hint)")
        }
        let encoded = secret.hasPrefix("whsec_")
        let key = encoded ? Base64.decode(secret.dropFirst("whsec_".count)) : Secret(Array(secret.utf8))
        guard let key, key.withUnsafeBytes({ $0.count }) >= 16 else {
            throw .request(
                "the secret of the webhook \(name) is \(encoded ? "no base 64, or " : "")too short; give 16 characters or more")
        }
        (self.name, self.address, self.key, self.events) = (name, address, key, events)
    }

    /// Whether it is told of events of that type.
    func wants(_ type: String) -> Bool { events.isEmpty || events.contains(type) }

    /// Every webhook of the configuration.
    /// - Parameter environment: where `secret_env` looks.
    static func all(
        _ configuration: Configuration, environment: [String: String]
    ) throws(SoftphoneError) -> [WebhookSettings] {
        var all: [WebhookSettings] = []
        for item in configuration[\.webhooks] {
            guard let name = item.name else {
                throw .request("a webhook has no name, in \(item.source); write webhooks: as a map, NAME: {url: ...}")
            }
            guard let url = item[\.url] else {
                throw .request("the webhook '\(name)' has no url, in \(item.source); add url: https://HOST/PATH")
            }
            let secret: String
            do { secret = try item.secret(environment: environment) } catch { throw .request(error.description) }
            all.append(try WebhookSettings(name, url: url, secret: secret, events: item[\.events]))
        }
        guard all.isEmpty || configuration[\.softphone.webhookSpool] != nil else {
            throw .request("webhooks want a folder where events wait for them; set softphone.webhook_spool")
        }
        return all
    }
}

extension ServiceSettings {
    func webhookDesk(_ events: EventSpool) -> WebhookDesk {
        WebhookDesk(
            events, folder: webhookSpool, byteLimit: webhookBytes, authorities: configuration[\.tls.authorities])
    }
}
