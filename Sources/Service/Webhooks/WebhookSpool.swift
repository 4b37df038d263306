import AudioFiles
import Glibc
import Realtime
import Reporting

/// Events that wait for a webhook, one file each in a folder: what is there after a restart, or a SIGKILL, is sent then. Bounded; the
/// oldest go first. Its functions wait for the disk; any thread may call them.
package final class WebhookSpool: Sendable {
    /// An event that waits.
    package struct Item: Sendable, Equatable {
        let file: String
        /// Of the event: `epoch.seq`.
        package let id: String
        let bytes: Int
        /// When it came.
        package let time: Timestamp
    }

    private struct State {
        var items: [Item] = []
        var bytes = 0
        var next: UInt64 = 1
        /// Nothing is kept any more.
        var isClosed = false
    }

    private let folder: String
    private let byteLimit: Int
    private let state: Lock<State>

    /// Events at most, whatever their size.
    package static let countLimit = 20_000

    /// Takes up what is there.
    /// - Parameter folder: is made where it is missing; its parent must be there.
    package init(folder: String, byteLimit: Int) throws(SpoolFailure) {
        (self.folder, self.byteLimit) = (folder, byteLimit)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST, access(folder, W_OK | X_OK) == 0 else { throw SpoolFailure() }
        var found = State()
        for name in try Self.names(folder) {
            guard let match = name.wholeMatch(of: #/([0-9]{16})-([0-9a-z]+\.[0-9]+)\.json/#), let number = UInt64(match.1)
            else {
                // What was being written when the service ended so that nobody was told of it.
                if name.hasSuffix(".part") { unlink("\(folder)/\(name)") }
                continue
            }
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0 else { continue }
            let time = Timestamp(millisecondsSince1970: Int64(status.st_mtim.tv_sec) * 1000)
            found.items.append(Item(file: name, id: String(match.2), bytes: Int(status.st_size), time: time))
            found.bytes += Int(status.st_size)
            found.next = max(found.next, number + 1)
        }
        state = Lock(found)
    }

    private static func names(_ folder: String) throws(SpoolFailure) -> [String] {
        guard let names = FolderNames.all(folder) else { throw SpoolFailure() }
        return names.sorted()
    }

    package var count: Int { state.withLock { $0.items.count } }
    package var oldest: Item? { state.withLock { $0.items.first } }

    /// Keeps an event until it is removed.
    /// - Returns: how many older ones had to go for it.
    package func add(id: String, _ body: [UInt8]) throws(SpoolFailure) -> Int {
        let next = state.withLock { state -> UInt64? in
            defer { state.next += 1 }
            return state.isClosed ? nil : state.next
        }
        guard let number = next else { return 0 }
        let digits = String(number)
        let file = String(repeating: "0", count: max(0, 16 - digits.count)) + digits + "-\(id).json"
        try write(body, as: file)
        let gone = state.withLock { state -> [Item] in
            let new = Item(file: file, id: id, bytes: body.count, time: .now())
            // It was given up meanwhile.
            guard !state.isClosed else { return [new] }
            state.items.append(new)
            state.bytes += body.count
            var gone: [Item] = []
            // The first one may be on its way: it is the last to go.
            while state.items.count > 1, state.bytes > byteLimit || state.items.count > Self.countLimit {
                let old = state.items.remove(at: state.items.count > 2 ? 1 : 0)
                state.bytes -= old.bytes
                gone.append(old)
            }
            return gone
        }
        for item in gone { unlink("\(folder)/\(item.file)") }
        return gone.count
    }

    /// A file is whole under its name, or not there.
    private func write(_ body: [UInt8], as file: String) throws(SpoolFailure) {
        let part = "\(folder)/\(file).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SpoolFailure() }
        var rest = body[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else {
                let failure = SpoolFailure()
                close(descriptor)
                unlink(part)
                throw failure
            }
            rest = rest.dropFirst(written)
        }
        close(descriptor)
        guard rename(part, "\(folder)/\(file)") == 0 else { throw SpoolFailure() }
    }

    /// An event's text; `nil`: it is gone, or empty because the machine lost its power.
    package func body(of item: Item) -> [UInt8]? {
        let descriptor = open("\(folder)/\(item.file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var body: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            body += piece[..<count]
        }
        return body.first == UInt8(ascii: "{") ? body : nil
    }

    /// Gives up everything, also what is being written just now; nothing is kept any more.
    /// - Returns: how many events waited.
    package func clear() -> Int {
        let items = state.withLock { state in
            defer { (state.items, state.bytes, state.isClosed) = ([], 0, true) }
            return state.items
        }
        for item in items { unlink("\(folder)/\(item.file)") }
        return items.count
    }

    /// It has been delivered, or is given up.
    /// - Returns: whether it still waited.
    package func remove(_ item: Item) -> Bool {
        let wasHere = state.withLock { state in
            guard let index = state.items.firstIndex(of: item) else { return false }
            state.items.remove(at: index)
            state.bytes -= item.bytes
            return true
        }
        if wasHere { unlink("\(folder)/\(item.file)") }
        return wasHere
    }
}

/// The folder cannot be used.
package struct SpoolFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    /// Of the system's last error.
    init() { description = String(cString: strerror(errno)) }
}
