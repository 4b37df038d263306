import CNetwork
import Glibc
import Realtime

/// Waits on file descriptors until one is ready or a deadline passes, by ppoll(2). Waiting allocates nothing.
public struct Poller: ~Copyable {
    private let entries: UnsafeMutableBufferPointer<pollfd>

    /// - Parameter fileDescriptors: what to read from; they stay the caller's, and negative ones are passed over.
    public init(_ fileDescriptors: [Int32]) {
        entries = .allocate(capacity: fileDescriptors.count)
        for (index, descriptor) in fileDescriptors.enumerated() {
            entries.initializeElement(at: index, to: pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
    }

    deinit { entries.deallocate() }

    /// Waits; true when a descriptor is ready, false when the deadline has passed or a signal came.
    ///
    /// - Parameter deadline: on the monotonic host clock; nil waits for ever.
    public func wait(until deadline: HostTime?) -> Bool {
        var timeout: Int64 = -1
        if let deadline { timeout = max(0, deadline.nanoseconds &- HostTime.monotonicNow().nanoseconds) }
        let ready = cnetwork_poll(entries.baseAddress, UInt32(entries.count), timeout)
        if ready <= 0 {
            for index in entries.indices { entries[index].revents = 0 }
        }
        return ready > 0
    }

    /// Whether the descriptor at `index` of the list had something (data, an error, a hang-up) after the last wait.
    public func isReady(_ index: Int) -> Bool {
        entries.indices.contains(index) && entries[index].revents != 0
    }
}
