import Reporting

/// Lines of `yodel devices` that are no device's own.
package enum DeviceText {
    /// The microphone's level, dBov.
    package static func level(_ level: Double, json: Bool) -> String {
        guard json else { return "microphone \(Text.fixed(level, 1)) dBov" }
        return JSONValue.object([
            JSONMember("type", .string("level")), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("level_dbov", .number(level, decimals: 1)),
        ]).text
    }

    /// A device that was listed before.
    package static func gone(_ name: String, json: Bool) -> String {
        guard json else { return "\(name): gone" }
        return JSONValue.object([
            JSONMember("name", .string(name)), JSONMember("opens", .boolean(false)), JSONMember("reason", .string("gone")),
        ]).text
    }
}
