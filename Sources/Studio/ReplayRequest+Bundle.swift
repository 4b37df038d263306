import AudioFiles
import Reporting
import Simulation
import Softphone

/// A call that was replayed out of its bundle.
package struct ReplayedBundle: Sendable {
    /// Whether every figure that can be compared is that of the call; `nil`: none can, because the call had not ended, or its capture breaks
    /// off before its end.
    package let isSame: Bool?
    /// What was found, for a program.
    package let json: JSONValue
}

extension ReplayRequest {
    /// A bundle is read whole: more is none.
    private static let mostBytes = 1 << 30

    /// A call out of its bundle, stretch by stretch: where the media began anew there are several, and from the second on the output's name
    /// has a number.
    /// - Parameters:
    ///   - path: of the bundle.
    ///   - onOmission: told what of the call is not played.
    /// - Returns: the figures, beside those of the call.
    /// - Throws: what is no bundle, or holds no capture.
    package func playBundle(_ path: String, onOmission: (String) -> Void) throws(SoftphoneError) -> ReplayedBundle {
        try checkFiles([NamedFile("--bundle", path)])
        let bundle = try TarArchive(bundle: path, mostBytes: Self.mostBytes)
        let manifest = try bundle.json(BundleNames.manifest, of: path)
        let report = try bundle.json(BundleNames.figures, of: path)
        var listed: [JSONValue] = []
        if case .array(let captures)? = manifest.value(at: "captures") { listed = captures }
        var signalling = bundle.messages.flatMap { SignallingReplay($0) }
        guard !listed.isEmpty || signalling != nil else {
            throw .request("\(path) holds neither packets nor messages of its call; set softphone.bundles before the next one")
        }
        let isOver = manifest.value(at: "state") == .string("ended")
        var (stretches, verdicts) = ([JSONValue](), [Bool?]())
        for (index, name) in listed.enumerated() {
            guard case .string(let name) = name else { continue }
            guard let bytes = bundle[name], !bytes.isEmpty else {
                onOmission("\(name) is not there: the service has let it go")
                verdicts.append(nil)
                continue
            }
            let replay: CaptureReplay
            do {
                let file = try UnnamedFile(bytes)
                // It is gone with the object, whose last use would else be its path.
                replay = try withExtendedLifetime(file) {
                    try played(file.path, streams(file.path), source: nil) { onOmission("\(name): \($0)") }
                }
            } catch let error as AudioFileError {
                throw .audioFile(error)
            } catch {
                throw .request("\(name) of \(path) cannot be played: \(error)")
            }
            let written = try writeSound(of: replay, number: index + 1)
            let comparison = isOver && replay.isWhole ? Self.figures(report, stretch: index, of: listed.count) : nil
            let compared = comparison.map { FigureComparison(call: $0, replay: replay.statistics, hasSound: !replay.isBlanked) }
            verdicts.append(compared?.isSame)
            guard case .object(let figures) = replay.figures.json else { continue }
            stretches.append(
                .object(
                    [
                        JSONMember("capture", .string(name)), JSONMember("out", .string(written)),
                        JSONMember("whole", .boolean(replay.isWhole)), JSONMember("sound", .boolean(!replay.isBlanked)),
                    ] + (compared?.members ?? [JSONMember("same", .null)]) + figures))
        }
        let isSame = verdicts.contains(false) ? false : verdicts.contains(nil) || verdicts.isEmpty ? nil : true
        return ReplayedBundle(
            isSame: isSame,
            json: .object([
                JSONMember("call_id", manifest.value(at: "call_id") ?? .null),
                JSONMember("same", isSame.map { .boolean($0) } ?? .null), JSONMember("stretches", .array(stretches)),
                JSONMember("signalling", signalling?.run() ?? .null),
            ]))
    }

    /// The call's figures of one stretch; `nil`: the report does not say which are its.
    private static func figures(_ report: JSONValue, stretch: Int, of count: Int) -> JSONValue? {
        guard count > 1 else { return report.value(at: "legs") == nil ? report : nil }
        guard case .array(let legs)? = report.value(at: "legs"), legs.count == count else { return nil }
        return legs[stretch]
    }

    private func writeSound(of replay: CaptureReplay, number: Int) throws(SoftphoneError) -> String {
        let path = number == 1 ? output : FileNames.numbered(output, number)
        do { try AudioSamples.write(replay.heard, path: path, rate: replay.sampleRate, fileRate: rate) } catch {
            throw .audioFile(error)
        }
        return path
    }
}

extension TarArchive {
    fileprivate init(bundle path: String, mostBytes: Int) throws(SoftphoneError) {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(path: path, mostBytes: mostBytes) } catch {
            throw .request("\(error.reason), \(path); name a file that `yodel bundle` made")
        }
        do { try self.init(reading: bytes) } catch { throw .request("\(error), \(path); name a file that `yodel bundle` made") }
    }

    /// The call's messages by SIP; `nil`: they are not there, or no JSON.
    fileprivate var messages: JSONValue? {
        self[BundleNames.messages].flatMap { try? JSONDocument(reading: $0, limits: JSONLimits(bytes: 64 << 20)).value }
    }

    fileprivate func json(_ name: String, of path: String) throws(SoftphoneError) -> JSONValue {
        guard let bytes = self[name] else {
            throw .request("there is no \(name) in \(path); name a file that `yodel bundle` made")
        }
        do { return try JSONDocument(reading: bytes).value } catch { throw .request("\(name) of \(path): \(error)") }
    }
}
