internal import Glibc
internal import Reporting

extension HistoryQuery {
    /// A day or a time as calls are kept by: in UTC, as far as it is written.
    /// - Parameter text: `2026-11-24`, or less or more of a time; in UTC, or from the minute on with its offset, as RFC 3339 has it. The
    ///   `+` of that may have become a space, as in forms of the Web.
    /// - Returns: without `Z`; `nil`: it is none, or no such day is in the calendar.
    static func time(_ text: String) -> String? {
        let form =
            #/(\d{4})-(\d{2})(?:-(\d{2})(?:[Tt](\d{2})(?::(\d{2})(?::(\d{2})(\.\d+)?)?)?(?:[Zz]|([+ -])(\d{2}):(\d{2}))?)?)?/#
        guard let match = text.wholeMatch(of: form), let year = Int32(match.1), let month = Int32(match.2) else { return nil }
        let parts = [match.3, match.4, match.5, match.6].map { $0.flatMap { Int32($0) } }
        var clock = tm()
        (clock.tm_year, clock.tm_mon, clock.tm_mday) = (year - 1900, month - 1, parts[0] ?? 1)
        (clock.tm_hour, clock.tm_min, clock.tm_sec) = (parts[1] ?? 0, parts[2] ?? 0, parts[3] ?? 0)
        let seconds = Int64(timegm(&clock))
        // Of `2026-11`, `-24`, `T08`, `:30` and `:15`, those that are there.
        let length = parts.prefix { $0 != nil }.count * 3 + 7
        func written(_ seconds: Int64) -> String {
            String(Timestamp(millisecondsSince1970: 1000 * seconds).text.prefix(length))
        }
        // A day that is in no calendar has become another one.
        guard written(seconds) == text.prefix(length).uppercased() else { return nil }
        let fraction = match.7.map { String($0.prefix(4)) } ?? ""
        guard let sign = match.8, let hours = match.9.flatMap({ Int64($0) }), let minutes = match.10.flatMap({ Int64($0) })
        else { return written(seconds) + fraction }
        // Less than a minute cannot be moved by minutes.
        guard parts[2] != nil, hours < 24, minutes < 60 else { return nil }
        let offset = (60 * hours + minutes) * 60
        return written(sign == "-" ? seconds + offset : seconds - offset) + fraction
    }
}
