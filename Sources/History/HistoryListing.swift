/// The calls of a history as lines: `yodel history`.
public struct HistoryListing: Sendable {
    private let form: HistoryForm
    private let query: HistoryQuery
    private let reader: HistoryReader

    /// Opens the file.
    /// - Parameters:
    ///   - search: stands somewhere in what is listed (`HistoryQuery.text`).
    ///   - since: the first day or time, and `until` the last, as in `HistoryQuery`.
    ///   - path: the database; `nil`: none is configured.
    public init(
        _ form: HistoryForm, _ search: String?, _ since: String?, _ until: String?, path: String?
    ) throws(HistoryError) {
        guard let path else { throw .request("no history is kept; name its file: softphone.history, or behind the command") }
        for (name, time) in [("--since", since), ("--until", until)] {
            guard let time, !HistoryQuery.isTime(time) else { continue }
            throw .request(
                "'\(time)' is no day or time, in \(name); write 2026-11-24, 2026-11-24T08:30Z or 2026-11-24T09:30+01:00")
        }
        var query = HistoryQuery()
        (query.text, query.since, query.until) = (search, since, until)
        (self.form, self.query) = (form, query)
        reader = try HistoryReader(path: path)
    }

    /// Hands the lines out, newest call first; a page of calls is in memory at a time.
    public func print(_ line: (String) -> Void) throws(HistoryError) {
        if let heading = form.heading { line(heading) }
        try reader.each(query) { line(form.line($0)) }
    }
}
