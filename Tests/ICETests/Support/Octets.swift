import ICE
import Link

/// Octets from hexadecimal text; blanks and line ends are skipped.
func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    precondition(digits.count % 2 == 0, "half an octet")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func address(_ text: String) -> SocketAddress {
    do { return try SocketAddress(parsing: text) } catch { preconditionFailure("\(error)") }
}

func ip(_ text: String) -> IPAddress {
    do { return try IPAddress(text) } catch { preconditionFailure("\(error)") }
}

extension STUNMessage {
    init(_ bytes: [UInt8]) throws(STUNProblem) {
        // withUnsafeBytes rethrows untyped errors.
        let result = bytes.withUnsafeBytes { datagram -> Result<STUNMessage, STUNProblem> in
            do throws(STUNProblem) { return .success(try STUNMessage(parsing: datagram)) } catch { return .failure(error) }
        }
        self = try result.get()
    }
}
