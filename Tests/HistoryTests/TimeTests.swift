import History
import Testing

@Suite("Days and times of a query") struct TimeTests {
    @Test(
        "a day, a time in UTC, and one with its offset, as far as they are written",
        arguments: [
            "2026-11", "2026-11-24", "2026-11-24T08", "2026-11-24T08:30", "2026-11-24T08:30Z", "2026-11-24t08:30z",
            "2026-11-24T08:30:15.123456789Z", "2024-02-29T23:59:59Z", "2026-11-24T09:30:15+01:00", "2026-11-24T09:30 01:00",
            "2026-11-24T03:30:15.5-05:00",
        ])
    func good(_ text: String) { #expect(HistoryQuery.isTime(text)) }

    @Test(
        "what is none, or is in no calendar",
        arguments: [
            "", "today", "2026", "2026-13", "2026-00-01", "2026-02-30", "2026-11-24T24:00", "2026-11-24T08:60",
            "2026-11-24T08+01:00", "2026-11-24T08:30+25:00", "2026-11-24T08:30+01:60", "2026-11-24T08:30+0100",
            "2026-11-24T08:30Z+01:00", "2026-11-24T08:30+01:00Z", "2026-11-24 08:30", "2026-11-24Z",
        ])
    func bad(_ text: String) { #expect(!HistoryQuery.isTime(text)) }
}
