/// Whose wish to have us call somebody else (REFER, RFC 3515) is followed. Whoever may transfer us chooses whom we pay for.
public enum TransferPolicy: String, Sendable, Hashable {
    /// Nobody's.
    case never
    /// The account's own servers', that of callers who are listed, and without an account this machine's.
    case known
    /// Everybody's in a call with us.
    case anyone
}
