import Glibc
import Link
import Realtime
import Softphone

/// The one call that `yodel listen http://` takes, as its routes see it. It knows neither sockets nor devices.
package final class BrowserVisit: Sendable {
    private enum Stage {
        case free
        /// An offer is being answered.
        case asked
        case made(id: String, BrowserConversation)
    }

    private let stage = Lock(Stage.free)
    /// Readable once there is a call.
    private let arrival: EventSignal
    private let allow: [CIDR]
    private let answer: @Sendable ([UInt8]) async throws(SoftphoneError) -> BrowserConversation

    /// - Parameters:
    ///   - allow: networks that may call; empty: all.
    ///   - answer: makes a call of an offer.
    /// - Throws: no descriptor is left.
    package init(
        allow: [CIDR], answer: @escaping @Sendable ([UInt8]) async throws(SoftphoneError) -> BrowserConversation
    ) throws(SoftphoneError) {
        (self.allow, self.answer) = (allow, answer)
        do { arrival = try EventSignal() } catch { throw .resources("\(error)") }
    }

    deinit { arrival.close() }

    /// Takes the call, if it is the first.
    /// - Parameters:
    ///   - offer: as it came.
    ///   - source: where it came from.
    /// - Returns: the call's id, and the answer to its offer.
    func call(_ offer: [UInt8], from source: IPAddress?) async throws(Problem) -> (id: String, answer: String) {
        if let source, !allow.isEmpty, !allow.contains(where: { $0.contains(source) }) {
            throw Problem(403, "calls from there are not taken", "\(source) is outside of --allow; call from another network")
        }
        let isFirst = stage.withLock { stage -> Bool in
            guard case .free = stage else { return false }
            stage = .asked
            return true
        }
        guard isFirst else { throw .conflict("one call is taken, and somebody else has it; have `yodel listen` started again") }
        let made: BrowserConversation
        do throws(SoftphoneError) { made = try await answer(offer) } catch {
            stage.withLock { $0 = .free }
            throw Problem(error)
        }
        let id = Gate.newToken()
        stage.withLock { $0 = .made(id: id, made) }
        arrival.signal()
        return (id, made.answer)
    }

    /// The call of a request.
    /// - Throws: there is none, or it has another id.
    func conversation(of request: APIRequest) throws(Problem) -> BrowserConversation {
        guard case .made(let id, let made) = stage.withLock({ $0 }), id == request.parameters["id"] else {
            throw Problem(404, "there is no such call", "a call is at the Location that POST /call answered with", at: "id")
        }
        return made
    }

    /// Waits for the call.
    package func waitForCall() -> any LiveCall {
        while true {
            if case .made(_, let made) = stage.withLock({ $0 }) { return made.call }
            var entry = pollfd(fd: arrival.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, -1)
        }
    }
}
