/// A file whose first line is a secret.
public enum SecretFile {
    /// The first line of the file at `path`, without its end.
    public static func line(path: String) throws(SettingsError) -> String {
        String(decoding: try YAMLFile.bytes(path: path).prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }

    /// The same of the file that a key names; why it cannot be read is told with the key and its place.
    static func line(path: String, of key: String, from source: ConfigurationSource) throws(SettingsError) -> String {
        do throws(SettingsError) { return try line(path: path) } catch {
            guard case .unreadableFile(_, let reason) = error else { throw error }
            throw .invalidValue(
                name: key, value: path, source: source.description, expected: "a file that can be read (\(reason))")
        }
    }
}
