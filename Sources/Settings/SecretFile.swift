/// A file whose first line is a secret.
public enum SecretFile {
    /// The first line of the file at `path`, without its end.
    public static func line(path: String) throws(SettingsError) -> String {
        String(decoding: try YAMLFile.bytes(path: path).prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }
}
