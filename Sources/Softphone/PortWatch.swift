import AudioSession
import Glibc
import LiveMedia

/// The ports and the route that a sound server has, then each change as it happens: `yodel devices --watch`.
package struct PortWatch {
    private let session = AudioSession()
    private let events: Mailbox<SessionEvent>

    /// Looks for the sound server; `nil` when there is none.
    package init?() {
        guard let events = try? Mailbox<SessionEvent>() else { return nil }
        self.events = events
        session.setCategory(.playAndRecord, options: .mixWithOthers)
        session.setEventHandler { events.post($0) }
        session.activate()
        do { try session.checkSoundServer() } catch { return nil }
    }

    /// Tells until `isInterrupted`.
    package func run(isInterrupted: () -> Bool, onEvent: (SessionEvent) -> Void) {
        while !isInterrupted() {
            for event in events.takeAll() { onEvent(event) }
            var descriptor = pollfd(fd: events.signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, 200)
        }
        session.deactivate()
    }
}
