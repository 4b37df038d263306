import AudioFiles
import Settings
import Softphone
import Terminal

/// What a media command works with: every value resolved, checked, and typed. Nothing has been started yet.
struct MediaOptions {
    /// What the call is made of.
    var request: MediaRequest
    /// Whether someone chose a device other than the default; `loopback` brings its own room otherwise.
    var choosesDevice: Bool
    /// Media time after which the call is ended, s.
    var durationSeconds: Double?
    /// Speech of the person in the simulated room.
    var nearPath: String?

    init(_ arguments: MediaArguments, _ configuration: Configuration) throws {
        request = try MediaRequest(configuration)
        choosesDevice = configuration.choosesDevice
        durationSeconds = arguments.call.duration
        nearPath = arguments.call.near
        request.playPath = arguments.call.play
        request.recordPath = arguments.call.record
        request.capturePath = arguments.call.capture
        request.capturesDecrypted = arguments.call.captureDecrypted
        request.dumpFolder = arguments.output.dump
        request.digits = arguments.call.dtmf ?? ""
        request.seed = arguments.output.seed
        request.device.isWanted = { TerminationSignal.caught == nil }
        try check()
    }

    /// What no table can know: durations, digits and files.
    private func check() throws {
        if let durationSeconds, !(durationSeconds > 0 && durationSeconds <= 1e7) {
            throw CommandError(.usage, "--duration \(durationSeconds) makes no call; give seconds above 0")
        }
        if let wrong = request.digits.first(where: { !KeyCommand.digits.contains($0) }) {
            throw CommandError(.usage, "'\(wrong)' is on no keypad, in --dtmf '\(request.digits)'; use 0-9 * # A-D")
        }
        if request.capturesDecrypted, request.capturePath == nil {
            throw CommandError(.usage, "--capture-decrypted says how a capture is made; give --capture FILE too")
        }
        for path in [request.playPath, nearPath].compactMap({ $0 }) { _ = try AudioFileReader(path: path) }
        if let path = request.recordPath, !PartyPort.recordsInFolder(request) {
            try PathCheck.writable(path, option: "--record")
        }
        if let path = request.capturePath { try PathCheck.writable(path, option: "--capture") }
        if let folder = request.dumpFolder { try PathCheck.folder(folder, option: "--dump") }
        try request.checkFiles(near: nearPath)
    }
}
