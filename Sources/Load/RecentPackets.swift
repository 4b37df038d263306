/// Which of the newest packets of a stream have come, where some come twice or in another order than they were sent. Sans-I/O.
struct RecentPackets {
    /// How far back that is known.
    static let reach: Int64 = 64

    /// The newest first. Nothing has come before the stream's first.
    private var came: UInt64 = 1

    /// Whether the packet has come that is so many before the newest.
    func has(before steps: Int64) -> Bool { steps < Self.reach && came >> UInt64(steps) & 1 == 1 }

    /// Takes a packet, so many after the newest; one of those before has a number below 0.
    mutating func note(_ step: Int64) {
        if step > 0 {
            came = step < Self.reach ? came << UInt64(step) | 1 : 1
        } else if step > -Self.reach {
            came |= 1 << UInt64(-step)
        }
    }
}
