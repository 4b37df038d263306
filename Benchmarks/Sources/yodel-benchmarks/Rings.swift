import CJack
import Realtime

/// One direction of sample transport as the comparison drives it: whole blocks or nothing.
protocol BlockWriter: ~Copyable {
    mutating func write(_ block: UnsafePointer<Float>, count: Int) -> Bool
}

protocol BlockReader: ~Copyable {
    mutating func read(into block: UnsafeMutablePointer<Float>, count: Int) -> Bool
}

struct YodelWriter: ~Copyable, BlockWriter {
    var end: RingProducer<Float>

    @inline(__always)
    mutating func write(_ block: UnsafePointer<Float>, count: Int) -> Bool {
        guard end.room(wanted: count) >= count else { return false }
        return end.write(block, count: count) == count
    }
}

struct YodelReader: ~Copyable, BlockReader {
    var end: RingConsumer<Float>

    @inline(__always)
    mutating func read(into block: UnsafeMutablePointer<Float>, count: Int) -> Bool {
        guard end.available(wanted: count) >= count else { return false }
        return end.read(into: block, count: count) == count
    }
}

/// A framer in the reader's place: it takes the block as one frame, without a copy, and touches both of its ends.
struct FramerReader: ~Copyable, BlockReader {
    var end: RingConsumer<Float>
    let framer: Framer

    @inline(__always)
    mutating func read(into block: UnsafeMutablePointer<Float>, count: Int) -> Bool {
        framer.process(&end) { frame in
            block[0] = frame[0]
            block[count - 1] = frame[frame.count - 1]
        } > 0
    }
}

/// JACK's ring writes as many bytes as fit, which splits samples: its user looks for space first.
struct JackWriter: ~Copyable, BlockWriter, @unchecked Sendable {
    let ring: UnsafeMutablePointer<jack_ringbuffer_t>

    @inline(__always)
    mutating func write(_ block: UnsafePointer<Float>, count: Int) -> Bool {
        let bytes = count * MemoryLayout<Float>.size
        guard jack_ringbuffer_write_space(ring) >= bytes else { return false }
        return UnsafeRawPointer(block).withMemoryRebound(to: CChar.self, capacity: bytes) {
            jack_ringbuffer_write(ring, $0, bytes) == bytes
        }
    }
}

struct JackReader: ~Copyable, BlockReader, @unchecked Sendable {
    let ring: UnsafeMutablePointer<jack_ringbuffer_t>

    @inline(__always)
    mutating func read(into block: UnsafeMutablePointer<Float>, count: Int) -> Bool {
        let bytes = count * MemoryLayout<Float>.size
        guard jack_ringbuffer_read_space(ring) >= bytes else { return false }
        return UnsafeMutableRawPointer(block).withMemoryRebound(to: CChar.self, capacity: bytes) {
            jack_ringbuffer_read(ring, $0, bytes) == bytes
        }
    }
}
