import Glibc

/// One-way delays recorded on a real path, packet by packet.
///
/// The file is CSV with the header `seq,send_ms,arrive_ms` and one line per packet in sending order; `arrive_ms` is
/// empty where the packet was lost.
public struct NetworkTrace: Sendable, Equatable {
    /// Delay of each packet in milliseconds, nil where it was lost. Never empty.
    public let delays: [Double?]

    /// - Parameter delays: at least one.
    public init(delays: [Double?]) {
        precondition(!delays.isEmpty, "a trace has a first packet")
        self.delays = delays
    }

    /// The scenario of that name, or else the file at that path.
    public init(named text: String) throws(NetworkConditionsError) {
        if let scenario = NetworkScenario(rawValue: text) {
            self = scenario.trace
        } else {
            try self.init(contentsOfFile: text)
        }
    }

    /// - Parameter path: only named in errors.
    public init(csv: String, path: String = "trace") throws(NetworkConditionsError) {
        var delays = [Double?]()
        var number = 0
        for line in csv.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
            if fields == [""] || (number == 1 && fields == ["seq", "send_ms", "arrive_ms"]) { continue }
            guard fields.count == 3, Int(fields[0]) != nil, let sent = Self.time(fields[1]) else {
                throw .traceMalformed(path: path, line: number)
            }
            if fields[2].isEmpty {
                delays.append(nil)
            } else {
                guard let arrived = Self.time(fields[2]), arrived >= sent else {
                    throw .traceMalformed(path: path, line: number)
                }
                delays.append(arrived - sent)
            }
        }
        guard !delays.isEmpty else { throw .traceMalformed(path: path, line: max(number, 1)) }
        self.delays = delays
    }

    /// Reads a trace file of at most 64 MiB.
    public init(contentsOfFile path: String) throws(NetworkConditionsError) {
        guard let file = fopen(path, "r") else {
            throw .traceUnreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes = [UInt8]()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
            if bytes.count > 64 << 20 { throw .traceUnreadable(path: path, reason: "longer than 64 MiB") }
        }
        guard ferror(file) == 0 else {
            throw .traceUnreadable(path: path, reason: String(cString: strerror(errno)))
        }
        try self.init(csv: String(decoding: bytes, as: UTF8.self), path: path)
    }

    private static func time(_ text: Substring) -> Double? {
        // A day bounds what becomes nanoseconds later.
        Double(text).flatMap { (0...86_400_000).contains($0) ? $0 : nil }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
