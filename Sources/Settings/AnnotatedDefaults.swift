/// The annotated default file, made from the table of keys; `config/yodel.yaml` is this text, held by a test.
public enum AnnotatedDefaults {
    /// YAML in which every key stands with its help, its variable, what it may be, and its default.
    public static var text: String {
        var text = """
            # Configuration of yodel: every key with its default. A key that has none is commented out.
            #
            # A flag beats the environment, which beats this file, which beats the default. `yodel config` shows each
            # value with its source. Searched: --config FILE, $YODEL_CONFIG, $XDG_CONFIG_HOME/yodel/yodel.yaml
            # (~/.config/yodel/yodel.yaml), /etc/yodel/yodel.yaml; the first that exists is the only one read.
            # `yodel config --defaults` prints this file.

            """
        for key in ConfigurationKey.all {
            text += "\n# \(key.help).\n# \(key.flag) or \(key.variable): \(key.expectation)\n"
            text += key.defaultValue.map { "\(key.name): \($0)\n" } ?? "# \(key.name):\n"
        }
        return text
    }
}
