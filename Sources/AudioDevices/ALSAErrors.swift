import AudioUnits
import CALSA
import Glibc

/// Listens to alsa-lib's messages (else it prints them to stderr) and turns its errno values into `DeviceError`s.
///
/// All uses of the listener stand in this file: its text is a static of the C header, one copy for each file.
package enum ALSAErrors {
    private static let listening: Void = calsa_install_listener()

    /// Runs a call into alsa-lib; a negative result becomes an error that says what to do.
    static func check(_ device: String, _ body: () -> Int32) throws(DeviceError) {
        _ = listening
        calsa_forget_text()
        let result = body()
        if result < 0 { throw error(result, text: String(cString: calsa_text()), device: device) }
    }

    /// The error of an errno that came without a message, from a running stream.
    static func running(_ code: Int32, device: String) -> DeviceError {
        switch -code {
        case ENODEV: .gone(device: device)
        case EIO, EPIPE, EBADFD, ENOTCONN, ECONNRESET, ECONNREFUSED: .gone(device: device)
        default: .streamBroken(device: device, reason: String(cString: snd_strerror(code)))
        }
    }

    /// The sound server's own words decide first: its plugin answers nearly everything with EIO or ECONNREFUSED.
    package static func error(_ code: Int32, text: String, device: String) -> DeviceError {
        let reason = trimmed(text.isEmpty ? String(cString: snd_strerror(code)) : text)
        func says(_ words: String) -> Bool { contains(text, words) }
        if says("No such entity") { return .notFound(device: device) }
        if says("Unable to connect") || says("Connection refused") || says("Connection terminated") {
            return .hostMissing(device: device, reason: reason)
        }
        if says("Access denied") { return .permissionDenied(device: device) }
        if says("Unknown PCM") { return .notFound(device: device) }
        if -code == ENOENT || -code == ENODEV, needsCard(device), access("/dev/snd", F_OK) != 0 {
            return .hostMissing(device: device, reason: "there is no sound card, and no sound server is set up")
        }
        switch -code {
        case ENOENT, ENODEV, ENXIO: return .notFound(device: device)
        case EBUSY, EAGAIN: return .busy(device: device)
        case EACCES, EPERM: return .permissionDenied(device: device)
        case ECONNREFUSED, ENOTCONN, ETIMEDOUT, EHOSTUNREACH: return .hostMissing(device: device, reason: reason)
        // A server that was reached but refuses the stream: a wrong source or sink name (its plugin says only EIO)
        case EIO: return .notFound(device: device)
        case EINVAL, ENOSYS, ENOTSUP: return .formatUnsupported(device: device, reason: reason)
        case ENOMEM, EMFILE, ENFILE: return .noResources(reason: reason)
        default: return .streamBroken(device: device, reason: reason)
        }
    }

    /// Names that lead to a sound card rather than to a server.
    private static func needsCard(_ device: String) -> Bool {
        ["default", "sysdefault", "hw:", "plughw:", "dmix", "dsnoop", "front"].contains { device.hasPrefix($0) }
    }

    private static func contains(_ text: String, _ words: String) -> Bool {
        let needle = Array(words.utf8)
        let hay = Array(text.utf8)
        guard needle.count <= hay.count else { return false }
        return (0...(hay.count - needle.count)).contains { hay[$0..<($0 + needle.count)].elementsEqual(needle) }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text
        while let last = text.last, last.isWhitespace || last == "." { text.removeLast() }
        return text
    }
}
