import Reporting
import Softphone

extension CallBook {
    /// The programs of a call that begins.
    func programs(of id: String, _ live: any LiveCall) -> CallPrograms {
        let call = ProgramCall(id, live) { [weak self] news, program in self?.tell(id, news, program) }
        return CallPrograms(call) { [weak self] in self?.live(id) }
    }

    /// Tells what became of a program.
    private func tell(_ id: String, _ news: ProgramCall.News, _ program: ProgramEnd) {
        guard let record = record(id) else { return }
        let members = [
            JSONMember("type", .string(news.rawValue)), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("call_id", .string(id)), JSONMember("program", program.json), JSONMember("call", record.json),
        ]
        spool.publish(type: news.rawValue, members.object)
    }
}
