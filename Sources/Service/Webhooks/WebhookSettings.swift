import Link
import SecureRTP
import Settings
import Softphone

/// One webhook as the configuration says: who is told what, and by which secret the telling is signed.
package struct WebhookSettings: Sendable, Equatable {
    package let name: String
    let address: WebhookAddress
    let key: Secret
    /// Types of events; empty: all.
    let events: [String]

    /// - Parameters:
    ///   - name: of letters, digits, `-` and `_`: a folder is called so.
    ///   - secret: 16 bytes or more, or `whsec_` and their base 64, as Standard Webhooks write it.
    package init(_ name: String, url: String, secret: String, events: [String] = []) throws(SoftphoneError) {
        guard (1...64).contains(name.utf8.count), name.wholeMatch(of: #/[A-Za-z0-9_-]+/#) != nil else {
            throw .request("'\(name.prefix(80))' is no name for a webhook, below webhooks:; use letters, digits, - and _")
        }
        guard let address = WebhookAddress(url) else {
            throw .request(
                "'\(url.prefix(200))' is no URL of a webhook, in webhooks.\(name).url; write https://HOST[:PORT]/PATH")
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

/// Where a webhook is: `http://` or `https://`, a host, and a path.
struct WebhookAddress: Sendable, Equatable {
    let isEncrypted: Bool
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    /// With the query.
    let path: String

    init?(_ url: String) {
        guard let match = url.wholeMatch(of: #/(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[^\/?#:@\[\]]+)(?::(\d{1,5}))?([\/?].*)?/#),
            url.utf8.allSatisfy({ (33...126).contains($0) }), !url.contains("#")
        else { return nil }
        isEncrypted = match.1 == "https"
        host = match.2.hasPrefix("[") ? String(match.2.dropFirst().dropLast()) : String(match.2)
        port = match.3.flatMap { Int($0) } ?? (isEncrypted ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        let rest = String(match.4 ?? "/")
        path = rest.hasPrefix("/") ? rest : "/" + rest
    }

    /// As the `Host` field has it.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + (port == (isEncrypted ? 443 : 80) ? "" : ":\(port)") }

    /// Without path and query, which may hold a secret.
    var text: String { "\(isEncrypted ? "https" : "http")://\(authority)" }

    /// No address is a name that a certificate is asked for by (RFC 6066 section 3).
    var serverName: String? { (try? IPAddress(host)) == nil ? host : nil }
}

extension ServiceSettings {
    func webhookDesk(_ events: EventSpool) -> WebhookDesk {
        WebhookDesk(
            events, folder: webhookSpool, byteLimit: webhookBytes, authorities: configuration[\.tls.authorities])
    }
}
