/// Date, RFC 3261 section 20.17: `Sat, 13 Nov 2010 23:29:00 GMT` and nothing else.
public struct SIPDate: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00 UTC.
    public let secondsSince1970: Int64

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    init?(bytes: ArraySlice<UInt8>) {
        let words = bytes.split { ByteClass.isFoldingSpace($0) || $0 == UInt8(ascii: ",") }.map(\.text)
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: words[2]), let year = Int(words[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { Int($0.text) ?? -1 }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        let seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
        secondsSince1970 = Int64(Self.days(year: year, month: month + 1, day: day)) * 86400 + Int64(seconds)
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
