/// What `--help` says of a command below its first line.
enum HelpText {
    /// A command line that can be copied, and what it does.
    typealias Example = (command: String, does: String)

    /// The command's discussion: words, then examples.
    static func discussion(_ words: String = "", examples: [Example]) -> String {
        let lines = examples.map { "  \($0.command)\n      \($0.does)" }
        return (words.isEmpty ? "" : words + "\n\n") + "EXAMPLES:\n" + lines.joined(separator: "\n")
    }
}
