import Logging
import Reporting
import Settings
import Softphone
import Terminal

/// Resolves the configuration from flags, variables and file, and starts the log as it says; once.
func resolveConfiguration(
    flags: [ConfigurationFlag], general: GeneralArguments
) throws(CommandError) -> Configuration {
    let configuration: Configuration
    do {
        configuration = try Configuration(flags: flags, environment: processEnvironment(), explicitPath: general.config)
    } catch { throw CommandError(error) }
    startLog(configuration)
    return configuration
}

/// Starts the program's log on standard error, once, and tells what was configured.
private func startLog(_ configuration: Configuration) {
    let level = Logger.Level(configuration[\.log.level])
    LoggingSystem.bootstrap { _ in LineLogHandler(level: level) }
    for warning in configuration.warnings { logger.warning("\(warning)") }
    logger.info("configuration file \(configuration.path ?? "none")")
    for entry in configuration.entries where entry.source != .default {
        logger.debug("\(entry.key.name) \(entry.value.text ?? "unset") by \(entry.source)")
    }
}

/// Reads every `--assert`; nothing starts when one is wrong.
func parseAssertions(_ expressions: [String], known: [ComparablePath]) throws(AssertionError) -> [Assertion] {
    try expressions.map { (expression) throws(AssertionError) in try Assertion(parsing: expression, known: known) }
}

extension MediaArguments {
    /// Checks what every call on the command line begins with, and starts the log.
    /// - Parameter ring: the device that rings when somebody calls; `nil`: none does.
    func resolved(ring: String?) throws -> (assertions: [Assertion], configuration: Configuration, options: MediaOptions) {
        let assertions = try parseAssertions(output.assertions, known: CallReport.comparablePaths)
        let configuration = try resolveConfiguration(flags: flags, general: general)
        var options = try MediaOptions(self, configuration)
        if let ring { options.request.ring = try device(ring) }
        return (assertions, configuration, options)
    }
}
