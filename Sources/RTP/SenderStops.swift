extension DelayLedgerMessage {
    /// Stops of the sender's machine since its call began: its packets are late by them, whatever the network does.
    public struct SenderStops: Hashable, Sendable {
        /// Their number; beyond 65,535 it stays there.
        public var count: Int
        /// The longest of them, in milliseconds; resolution 0.1 ms, beyond 6,553.5 it stays there.
        public var longestMilliseconds: Double
        /// Those since the report before; nil: there were none, or the sender does not tell.
        public var recent: RecentStops?

        /// Stops since a call began.
        /// - Parameters:
        ///   - count: their number.
        ///   - longestMilliseconds: the longest of them.
        ///   - recent: those since the report before.
        public init(count: Int, longestMilliseconds: Double, recent: RecentStops? = nil) {
            self.count = count
            self.longestMilliseconds = longestMilliseconds
            self.recent = recent
        }
    }

    /// Stops of the sender's machine since its report before, in whole milliseconds: when each was, so that whoever heard a gap knows
    /// whether it was then. Each number stays at the end of its field.
    public struct RecentStops: Hashable, Sendable {
        /// One of them.
        public struct Stop: Hashable, Sendable {
            /// How long before the report it was over; at most 65,535.
            public var agoMilliseconds: Int
            /// For how long nothing ran; at most 65,535.
            public var milliseconds: Int

            /// A stop that ended `agoMilliseconds` before the report.
            /// - Parameters:
            ///   - agoMilliseconds: how long before the report it was over.
            ///   - milliseconds: for how long nothing ran.
            public init(agoMilliseconds: Int, milliseconds: Int) {
                self.agoMilliseconds = agoMilliseconds
                self.milliseconds = milliseconds
            }
        }

        /// Stops that a report tells of one by one, at most.
        public static let mostListed = 16

        /// Their number, also of those that are not listed; at most 65,535.
        public var count: Int
        /// The longest of them; at most 65,535.
        public var longestMilliseconds: Int
        /// All of them together; at most 16,777,215.
        public var totalMilliseconds: Int
        /// The latest of them, at most `mostListed`.
        public var latest: [Stop]

        /// Stops since a report.
        /// - Parameters:
        ///   - count: their number.
        ///   - longestMilliseconds: the longest of them.
        ///   - totalMilliseconds: all of them together.
        ///   - latest: the latest of them; of more than `mostListed` the first are sent.
        public init(count: Int, longestMilliseconds: Int, totalMilliseconds: Int, latest: [Stop]) {
            self.count = count
            self.longestMilliseconds = longestMilliseconds
            self.totalMilliseconds = totalMilliseconds
            self.latest = latest
        }
    }
}

// On the wire, behind what older versions know.

extension DelayLedgerMessage.SenderStops {
    /// Bytes of the number and the longest; of what comes before the list of the recent ones.
    private static let length = 4
    private static let recentLength = 8

    /// The bits of the packet's second byte that say which of both is there.
    enum Flags {
        static let stops: UInt8 = 4
        static let recent: UInt8 = 8
    }

    var flags: UInt8 { Flags.stops | (recent == nil ? 0 : Flags.recent) }

    func append(to data: inout [UInt8]) {
        let tenths = longestMilliseconds.isFinite ? (10 * longestMilliseconds).rounded() : 0
        data.appendBigEndian(UInt16(clamping: count))
        data.appendBigEndian(UInt16(max(0, min(tenths, Double(UInt16.max)))))
        guard let recent else { return }
        let listed = recent.latest.prefix(DelayLedgerMessage.RecentStops.mostListed)
        data.appendBigEndian(UInt16(clamping: recent.count))
        data.appendBigEndian(UInt16(clamping: recent.longestMilliseconds))
        data.appendBigEndian(UInt32(listed.count) << 24 | min(UInt32(clamping: recent.totalMilliseconds), 0xff_ffff))
        for stop in listed {
            data.appendBigEndian(UInt16(clamping: stop.agoMilliseconds))
            data.appendBigEndian(UInt16(clamping: stop.milliseconds))
        }
    }

    /// Reads what `append` wrote; nil where `flags` say that it is not there, or bytes are missing.
    /// - Parameters:
    ///   - data: from the number of stops on.
    ///   - flags: the packet's second byte.
    init?(_ data: ArraySlice<UInt8>, flags: UInt8) {
        guard flags & Flags.stops != 0, data.count >= Self.length else { return nil }
        func number(at offset: Int, bytes: Int = 2) -> Int {
            data[data.startIndex + offset..<data.startIndex + offset + bytes].reduce(0) { $0 << 8 | Int($1) }
        }
        self.init(count: number(at: 0), longestMilliseconds: Double(number(at: 2)) / 10)
        let list = Self.length + Self.recentLength
        guard flags & Flags.recent != 0, data.count >= list else { return }
        let listed = number(at: 8, bytes: 1)
        guard data.count >= list + 4 * listed else { return }
        let latest = (0..<min(listed, DelayLedgerMessage.RecentStops.mostListed)).map {
            DelayLedgerMessage.RecentStops.Stop(
                agoMilliseconds: number(at: list + 4 * $0), milliseconds: number(at: list + 4 * $0 + 2))
        }
        recent = DelayLedgerMessage.RecentStops(
            count: number(at: 4), longestMilliseconds: number(at: 6), totalMilliseconds: number(at: 9, bytes: 3),
            latest: latest)
    }
}
