import Realtime

/// Who wants to be woken when. An entry may come early, when its owner's timer has moved: the owner is asked again then.
struct TimerQueue<Owner: Hashable> {
    private struct Entry {
        let time: HostTime
        let owner: Owner
    }

    private var heap: [Entry] = []
    /// The earliest entry of each owner.
    private var scheduled: [Owner: HostTime] = [:]

    /// The earliest time at which `takeDue` may have something; nil when nothing is scheduled.
    var next: HostTime? { heap.first?.time }

    var count: Int { scheduled.count }

    /// Wakes `owner` at `time` at the latest. nil changes nothing: what is scheduled comes, and is found to be needless.
    mutating func schedule(_ owner: Owner, at time: HostTime?) {
        guard let time else { return }
        if let earlier = scheduled[owner], earlier <= time { return }
        scheduled[owner] = time
        heap.append(Entry(time: time, owner: owner))
        siftUp(heap.count - 1)
    }

    /// The next owner whose time has come; nil when none has.
    mutating func takeDue(_ now: HostTime) -> Owner? {
        while let first = heap.first, first.time <= now {
            let entry = first
            removeFirst()
            // An entry that an earlier one replaced is passed over.
            guard scheduled[entry.owner] == entry.time else { continue }
            scheduled[entry.owner] = nil
            return entry.owner
        }
        return nil
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].time < heap[least].time {
                least = child
            }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, heap[index].time < heap[(index - 1) / 2].time {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }
}
