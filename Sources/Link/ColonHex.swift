extension Sequence<UInt8> {
    /// `4A:AD:...`: each octet as two digits in upper case, as fingerprints of certificates are written (RFC 8122 section 5).
    package var colonHex: String {
        let digits = Array("0123456789ABCDEF")
        return map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }
}
