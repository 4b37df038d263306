import ArgumentParser
import Glibc
import Logging
import Reporting
import Settings

/// The process's environment.
func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let pair = String(cString: text)
        if let equals = pair.firstIndex(of: "=") {
            variables[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
        }
        entry += 1
    }
    return variables
}

/// Resolves the configuration and sets up the log, which goes to standard error.
func resolveConfiguration(
    flags: [String: String?], general: GeneralArguments
) throws(CommandError) -> Configuration {
    let configuration: Configuration
    do {
        configuration = try Configuration(
            flags: flags, environment: processEnvironment(), explicitPath: general.config)
    } catch {
        throw CommandError(error)
    }
    let level = configuration[.logLevel].text.flatMap { Logger.Level(rawValue: $0) } ?? .warning
    LoggingSystem.bootstrap { _ in LineLogHandler(level: level) }
    for warning in configuration.warnings { logger.warning("\(warning)") }
    logger.info("configuration file \(configuration.path ?? "none")")
    for value in configuration.values where value.source != .default {
        logger.debug("\(value.key.name) \(value.text ?? "unset") by \(value.source)")
    }
    return configuration
}

/// Reads every `--assert`; nothing starts when one is wrong.
func parseAssertions(_ expressions: [String], known: [ComparablePath]) throws(CommandError) -> [Assertion] {
    var assertions: [Assertion] = []
    for expression in expressions {
        do { assertions.append(try Assertion(parsing: expression, known: known)) } catch { throw CommandError(error) }
    }
    return assertions
}
