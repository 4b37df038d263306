/// Bytes of pcapng blocks in this machine's byte order, appended one after the other.
struct PcapngBlocks {
    private(set) var bytes: [UInt8] = []

    mutating func removeFirst(_ count: Int) { bytes.removeFirst(count) }
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    /// A block of `type`; its length stands in front and behind, and it fills whole words.
    mutating func block(_ type: UInt32, _ content: (inout PcapngBlocks) -> Void) {
        let start = bytes.count
        append(type)
        append(UInt32(0))
        content(&self)
        pad()
        let length = UInt32(bytes.count - start + 4)
        append(length)
        withUnsafeBytes(of: length) { source in
            for index in 0..<4 { bytes[start + 4 + index] = source[index] }
        }
    }

    mutating func custom(_ content: PcapngFormat.Content, _ body: (inout PcapngBlocks) -> Void) {
        block(PcapngFormat.customBlock) { blocks in
            blocks.append(PcapngFormat.enterprise)
            blocks.append(PcapngFormat.magic)
            blocks.append(content.rawValue)
            body(&blocks)
        }
    }

    mutating func option(_ code: UInt16, _ value: some Collection<UInt8>) {
        append(code)
        append(UInt16(value.count))
        bytes.append(contentsOf: value)
        pad()
    }

    mutating func raw(_ source: some Collection<UInt8>) { bytes.append(contentsOf: source) }

    mutating func pad() { while bytes.count % 4 != 0 { bytes.append(0) } }
}
