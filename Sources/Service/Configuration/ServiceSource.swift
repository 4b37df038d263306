import Realtime
import Reporting
import Settings
import Softphone

/// Where the service's configuration comes from, to be read again while it runs.
public struct ServiceSource: Sendable {
    private let flags: [ConfigurationFlag]
    private let environment: [String: String]
    private let path: String?
    private let product: String?
    private let tracePath: String?

    /// - Parameters:
    ///   - flags: of the command line: they beat the file again.
    ///   - environment: all variables of the process.
    ///   - path: of `--config`.
    ///   - product: name and version of the program, told to the other side; `nil`: not told.
    ///   - tracePath: file that every message of signalling is written to, with secrets masked; `nil`: none.
    public init(
        flags: [ConfigurationFlag], environment: [String: String], path: String?, product: String? = nil,
        tracePath: String? = nil
    ) {
        (self.flags, self.environment, self.path) = (flags, environment, path)
        (self.product, self.tracePath) = (product, tracePath)
    }

    /// What a configuration that was read means for the service.
    public func settings(_ configuration: Configuration) throws(SoftphoneError) -> ServiceSettings {
        var settings = try ServiceSettings(configuration, environment: environment)
        settings.source = self
        (settings.product, settings.tracePath) = (product, tracePath)
        return settings
    }

    /// Reads file and secrets as they are now.
    /// - Throws: what is wrong, with its key, and with file and line where that is in the file.
    func read() throws(SoftphoneError) -> ServiceSettings {
        let configuration: Configuration
        do { configuration = try Configuration(flags: flags, environment: environment, explicitPath: path) } catch {
            throw .request(error.description)
        }
        return try settings(configuration)
    }
}

/// The settings that are in force. Any thread may call any function.
package final class LiveSettings: Sendable {
    private let state: Lock<ServiceSettings>

    package init(_ settings: ServiceSettings) { state = Lock(settings) }

    var now: ServiceSettings { state.withLock { $0 } }

    /// What is in force, as it may be shown.
    package var json: JSONValue { now.json }

    func set(_ settings: ServiceSettings) { state.withLock { $0 = settings } }
}
