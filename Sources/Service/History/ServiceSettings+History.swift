import History
import Realtime
import Softphone

extension ServiceSettings {
    /// Where calls are kept, if they are. What is wrong with the database keeps nobody from calling: it is told.
    func openHistory() throws(SoftphoneError) -> CallHistory? {
        guard let history else { return nil }
        do throws(RealtimeError) {
            return try CallHistory(path: history, retention: retention) { trouble in
                if let trouble {
                    logger.error("no calls are kept, in softphone.history: \(trouble)")
                } else {
                    logger.notice("calls are kept again, in softphone.history")
                }
            }
        } catch {
            throw .resources("\(error)")
        }
    }
}
