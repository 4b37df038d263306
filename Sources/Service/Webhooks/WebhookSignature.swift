import Crypto
import SecureRTP

/// The header fields that prove whom an event is from, as Standard Webhooks has them: HMAC-SHA256 over id, time and body.
package enum WebhookSignature {
    /// - Parameters:
    ///   - id: of the event; the same each time it is sent.
    ///   - seconds: when it is sent, since 1970.
    package static func headers(
        id: String, seconds: Int64, body: [UInt8], key: Secret
    ) -> [(name: String, value: String)] {
        var code = key.withUnsafeBytes { HMAC<SHA256>(key: SymmetricKey(data: $0)) }
        code.update(data: Array("\(id).\(seconds).".utf8))
        code.update(data: body)
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", "v1,\(Base64.encode(Secret(Array(code.finalize()))))"),
        ]
    }
}
