import AudioDevices
import AudioUnits
import Glibc

/// A file and the option that names it.
package struct NamedFile: Sendable, Equatable {
    package let option: String
    package let path: String

    package init(_ option: String, _ path: String) { (self.option, self.path) = (option, path) }

    /// What `--dump` writes.
    /// - Parameters:
    ///   - folder: takes it; `nil`: nothing is written.
    ///   - others: names of what it takes besides the signals inside the unit.
    package static func dumped(in folder: String?, others: [String] = []) -> [NamedFile] {
        guard let folder else { return [] }
        return (VoiceSignal.allCases.map { "\($0.name).wav" } + others).map { NamedFile("--dump", "\(folder)/\($0)") }
    }
}

extension PathCheck {
    /// Throws where a file that is written is also read, or written twice: what is in it would be lost. Devices and pipes may be
    /// named more than once.
    package static func distinct(written: [NamedFile], read: [NamedFile]) throws(SoftphoneError) {
        let read = read.filter { isFolder($0.path) != nil }
        for (index, file) in written.enumerated() {
            guard let place = Place(file.path) else { continue }
            guard let other = (written[..<index] + read).first(where: { Place($0.path) == place }) else { continue }
            throw .request(
                "\(file.path) is written by \(file.option), and belongs to \(other.option); name another file in one of them")
        }
    }

    /// What makes a file the same whatever it is called.
    private struct Place: Equatable {
        private let device: UInt64
        private let inode: UInt64
        /// In that folder, where there is no such file yet.
        private let name: Substring?

        /// - Returns: `nil` for what is no file that is, or would be, emptied.
        init?(_ path: String) {
            var status = stat()
            if stat(path, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFREG else { return nil }
                name = nil
            } else {
                guard stat(PathCheck.folder(of: path), &status) == 0 else { return nil }
                name = path.split(separator: "/", omittingEmptySubsequences: false).last
            }
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }
}

extension DeviceChoice {
    /// Files that are read in place of a microphone, or to make a room.
    package var filesRead: [NamedFile] {
        let paths: [String?]
        switch input {
        case .file(let capture, _, _): paths = [capture]
        case .room(let room):
            if case .file(let path) = room.response { paths = [path, room.nearPath] } else { paths = [room.nearPath] }
        default: paths = []
        }
        return paths.compactMap { $0.map { NamedFile("the microphone's device", $0) } }
    }

    /// Files that are written in place of a loudspeaker.
    package var filesWritten: [NamedFile] {
        playedFile.map { [NamedFile("the loudspeaker's device (to=)", $0)] } ?? []
    }
}

extension MediaRequest {
    /// Throws where a file that the call writes is one that it reads, or writes twice.
    /// - Parameters:
    ///   - near: speech of the person in a simulated room.
    ///   - trace: takes the messages of signalling.
    package func checkFiles(near: String? = nil, trace: String? = nil) throws(SoftphoneError) {
        func named(_ files: [(option: String, path: String?)]) -> [NamedFile] {
            files.compactMap { file in file.path.map { NamedFile(file.option, $0) } }
        }
        let written = named([("--record", recordPath), ("--capture", capturePath), ("--sip-trace", trace)])
        let dumped = NamedFile.dumped(in: dumpFolder, others: ["sent.wav", "heard.wav", "jitter_buffer.csv"])
        let read = named([("--play", playPath), ("--near", near)])
        try PathCheck.distinct(written: written + device.filesWritten + dumped, read: read + device.filesRead)
    }
}
