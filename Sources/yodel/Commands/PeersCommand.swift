import ArgumentParser
import CommandOptions
import PeerSignalling
import Reporting
import Softphone
import Terminal

/// `yodel peers`: whom this program knows by yodel://, and by which key it is known itself.
struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Show who is known by yodel://, forget them, or pin them before the first call.",
        discussion: HelpText.discussion(
            "A name is HOST:PORT of one who is called, or begins with @ for one who calls.",
            examples: [
                ("yodel peers", "the own key, and who is known"),
                ("yodel peers forget example.com", "be asked again at the next call, after a key was made anew there"),
                ("yodel peers pin 'sha-256 4A:AD:...'", "let somebody call without a question"),
                ("yodel peers pin 'sha-256 4A:AD:...' --name example.com", "know whom example.com must be"),
            ]),
        subcommands: [ListPeers.self, ForgetPeer.self, PinPeer.self], defaultSubcommand: ListPeers.self)
}

struct ListPeers: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the own key, and who is known.")

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var keys: PeerKeyArguments

    func run() throws {
        let folder = try keys.folder()
        do throws(SoftphoneError) {
            let own = try Softphone().connect(folder).fingerprint
            let entries = try folder.known().entries
            guard json else {
                Output.standard.line("own key: \(own), in \(folder.path)")
                if entries.isEmpty { Output.standard.line("nobody is known yet") }
                for entry in entries { Output.standard.line(Self.text(entry)) }
                return
            }
            Output.standard.line(
                JSONValue.object([JSONMember("type", .string("own_key")), JSONMember("fingerprint", .string(own))]).text)
            for entry in entries { Output.standard.line(Self.json(entry).text) }
        } catch {
            throw CommandError(error)
        }
    }

    static func text(_ entry: KnownPeers.Entry) -> String {
        "\(entry.name)  \(entry.fingerprint)\(entry.isPinned ? "  pinned" : "")"
    }

    private static func json(_ entry: KnownPeers.Entry) -> JSONValue {
        .object([
            JSONMember("type", .string("known_peer")), JSONMember("name", .string(entry.name)),
            JSONMember("fingerprint", .string("\(entry.fingerprint)")), JSONMember("pinned", .boolean(entry.isPinned)),
        ])
    }
}

struct ForgetPeer: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "forget", abstract: "Forget somebody.")

    @Argument(help: ArgumentHelp("Name, or fingerprint.", valueName: "who"))
    var who: String

    @OptionGroup var keys: PeerKeyArguments

    func run() throws {
        let gone: [KnownPeers.Entry]
        do { gone = try keys.folder().forget(who) } catch let error as SoftphoneError { throw CommandError(error) }
        guard !gone.isEmpty else { throw CommandError(.usage, "nobody is known as '\(who)'; `yodel peers` lists who is") }
        for entry in gone { Output.standard.line("forgotten: \(ListPeers.text(entry))") }
    }
}

struct PinPeer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Know somebody before the first call, in place of whoever had the name.")

    @Argument(help: ArgumentHelp("As the other side's `yodel peers` shows its own key.", valueName: "fingerprint"))
    var fingerprint: String

    @Option(help: ArgumentHelp("HOST[:PORT], or @NAME for one who calls. (default: one who calls)", valueName: "name"))
    var name: String?

    @OptionGroup var keys: PeerKeyArguments

    func run() throws {
        do {
            let entry = try keys.folder().pin(fingerprint, name: name)
            Output.standard.line("pinned: \(ListPeers.text(entry))")
        } catch let error as SoftphoneError {
            throw CommandError(error)
        }
    }
}
