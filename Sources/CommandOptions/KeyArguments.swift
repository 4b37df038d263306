import ArgumentParser
import Settings

/// A key of the configuration as an option of a command.
package struct KeyOption {
    package let key: any AnyConfigurationKey
    /// Without dashes in front.
    package let name: String

    /// - Parameter name: where the key's own name means something else to the command.
    package init(_ key: any AnyConfigurationKey, as name: String? = nil) {
        self.key = key
        self.name = name ?? key.optionName
    }
}

/// Which keys a command takes as options.
package protocol KeySelection {
    static var options: [KeyOption] { get }
}

/// All keys of a section.
package enum SectionOptions<Section: ConfigurationSection>: KeySelection {
    package static var options: [KeyOption] { Section.keys.map { KeyOption($0) } }
}

/// The options that a selection of keys makes, made of the keys' own declarations.
///
/// swift-argument-parser learns a type's options by reflecting on its property wrappers, and reads them back through
/// `Decodable`. Both are public doors: this type shows one wrapper for each key in place of stored properties. Values stay
/// as they were written; one place (`Configuration`) checks them, whoever sets them.
package struct KeyArguments<Selection: KeySelection>: ParsableArguments, CustomReflectable {
    /// What was given on the command line, in the order of the keys.
    package private(set) var given: [ConfigurationFlag] = []

    package init() {}

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        for option in Selection.options {
            guard let value = try option.value(in: container) else { continue }
            given.append(ConfigurationFlag(option.key, option: "--" + option.name, value: value))
        }
    }

    package var customMirror: Mirror {
        Mirror(self, children: Selection.options.map { (label: $0.key.name, value: $0.definition) }, displayStyle: .struct)
    }

    /// Whether one of `keys` was given.
    package func gives(_ keys: any AnyConfigurationKey...) -> Bool {
        given.contains { flag in keys.contains { $0.name == flag.key } }
    }

    /// Gives a key a value in the name of another option.
    package mutating func set(_ key: any AnyConfigurationKey, to text: String, option: String) {
        given.append(ConfigurationFlag(key, option: option, value: .text(text)))
    }
}

/// The name under which swift-argument-parser keeps an option's value.
private struct OptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyOption {
    /// The property wrapper that defines the option.
    fileprivate var definition: Any {
        let name = NameSpecification.customLong(name)
        switch key.shape {
        case .single: return Option<String?>(name: name, help: help, completion: completion)
        case .toggle: return Flag<Bool?>(name: name, inversion: .prefixedNo, help: help)
        case .list: return Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
        }
    }

    /// What the command line says; `nil` when it says nothing.
    fileprivate func value(in container: KeyedDecodingContainer<OptionKey>) throws -> WrittenValue? {
        let place = OptionKey(stringValue: key.name)
        switch key.shape {
        case .single: return try container.decode(Option<String?>.self, forKey: place).wrappedValue.map { .text($0) }
        case .toggle:
            return try container.decode(Flag<Bool?>.self, forKey: place).wrappedValue.map { .text(String($0)) }
        case .list:
            let texts = try container.decode(Option<[String]>.self, forKey: place).wrappedValue
            return texts.isEmpty ? nil : .text(texts.joined(separator: ","))
        }
    }

    private var completion: CompletionKind? { key.cases.isEmpty ? nil : .list(key.cases) }

    /// The sentence, what may be given, and what holds when nothing is.
    private var help: ArgumentHelp {
        var facts: [String] = []
        if key.shape == .list { facts.append("repeatable") }
        if !key.cases.isEmpty { facts.append("values: \(key.cases.joined(separator: ", "))") }
        if !key.range.isEmpty { facts.append(key.range) }
        facts.append("default: \(key.defaultText)")
        return ArgumentHelp(
            "\(key.help). (\(facts.joined(separator: "; ")))", valueName: key.placeholder.isEmpty ? nil : key.placeholder)
    }
}
