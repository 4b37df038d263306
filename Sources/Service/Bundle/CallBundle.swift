import AudioFiles
import Reporting
import Simulation
import Softphone

/// Everything that explains one call (docs/bundle.md), put together before it is redacted.
struct CallBundle: Sendable {
    let call: CallRecord
    /// `nil`: whoever asks may not see it.
    let configuration: JSONValue?
    let findings: [JSONValue]
    let events: [JSONValue]
    let figures: JSONValue
    let messages: [JSONValue]
    /// Paths of the captures.
    let captures: [String]
    /// Whether what was said is in it.
    let hasSound: Bool

    /// More is in no capture.
    private static let mostBytes = 1 << 29

    /// One file of it all. Reads files, and plays what is to be blanked: not for a thread that others wait for.
    /// - Parameters:
    ///   - redaction: takes the secrets out.
    ///   - time: when.
    /// - Returns: the archive.
    func archive(_ redaction: Redaction, at time: Timestamp = .now()) -> TarArchive {
        var archive = TarArchive()
        func add(_ name: String, _ value: JSONValue) {
            archive.files.append(TarArchive.File(name, text: redaction.redacted(value).text + "\n"))
        }
        let packets = captures.map { media($0) }
        add(
            BundleNames.manifest,
            [
                JSONMember("format", .integer(1)), JSONMember("call_id", .string(call.id)),
                JSONMember("state", .string(call.state.rawValue)), JSONMember("made", .string(time.text)),
                JSONMember("sound", .boolean(hasSound)),
                JSONMember("captures", .array(packets.indices.map { .string(BundleNames.capture($0 + 1)) })),
            ].object)
        add("call.json", call.json)
        add(BundleNames.figures, figures)
        add("check.json", .array(findings))
        if let configuration { add("configuration.json", configuration) }
        let lines = events.map { redaction.redacted($0).text + "\n" }
        archive.files.append(TarArchive.File("events.jsonl", text: lines.joined()))
        add(BundleNames.messages, .array(messages))
        for (index, bytes) in packets.enumerated() {
            archive.files.append(TarArchive.File(BundleNames.capture(index + 1), bytes))
        }
        return archive
    }

    /// A capture as it is, or without what was said; empty: it is not there any more, or cannot be blanked.
    private func media(_ path: String) -> [UInt8] {
        do {
            guard !hasSound else { return try WholeFile.read(path: path, mostBytes: Self.mostBytes) }
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            let blanked = try UnnamedFile(in: path.hasPrefix("/") ? "/" + folder : folder.isEmpty ? "." : folder)
            try CaptureBlanking.write(path, to: blanked.path)
            // It is gone with the object, whose last use would else be its path.
            return try withExtendedLifetime(blanked) { try WholeFile.read(path: blanked.path, mostBytes: Self.mostBytes) }
        } catch {
            logger.warning("a bundle is without the packets of its call: \(error)")
            return []
        }
    }
}
