/// The annotated default file, made of the declarations of the keys; `config/yodel.yaml` is this text, held by a test.
public enum AnnotatedDefaults {
    /// YAML in which every key stands with its help, its variable, what it may be, and its default.
    public static var text: String {
        var text = """
            # Configuration of yodel: every key with its default. A key that has none is commented out.
            #
            # A flag beats the environment, which beats this file, which beats the default. `yodel config` shows each
            # value with its source. Searched: --config FILE, $YODEL_CONFIG, $XDG_CONFIG_HOME/yodel/yodel.yaml (or yodel.json;
            # without the variable in ~/.config/yodel), /etc/yodel/yodel.yaml (or yodel.json); the first that exists is the only
            # one read. A name that ends in .json holds the same as JSON. A key may also stand at the top, by the name of its
            # variable (`log_level:`, `codec:`). `yodel config --defaults` prints this file.

            """
        for section in ConfigurationTable(YodelKeys.self).sections {
            text += "\n\(section.name):\n"
            text += section.keys.map { entry(of: $0.key, as: $0.shortName) }.joined(separator: "\n")
        }
        for collection in ConfigurationTable(YodelKeys.self).collections {
            text += "\n# \(collection.help).\n\(collection.table.name):\n  # NAME:\n"
            text += collection.table.keys.map { item(of: $0.key, as: $0.shortName) }.joined(separator: "\n")
        }
        return text
    }

    private static func item(of key: any AnyConfigurationKey, as name: String) -> String {
        let unset = key.unset.map { "; unset: \($0)" } ?? ""
        let value = key.defaultRead.text.map { " \($0)" } ?? ""
        return "    # \(key.help).\n    # \(key.expectation)\(unset)\n    # \(name):\(value)\n"
    }

    private static func entry(of key: any AnyConfigurationKey, as name: String) -> String {
        let flags = key.shape == .toggle ? "\(key.flag), --no-\(key.optionName)" : key.flag
        let unset = key.unset.map { "; unset: \($0)" } ?? ""
        let value = key.defaultRead.text.map { "  \(name): \($0)" } ?? "  # \(name):"
        return "  # \(key.help).\n  # \(flags) or \(key.variable): \(key.expectation)\(unset)\n\(value)\n"
    }
}
