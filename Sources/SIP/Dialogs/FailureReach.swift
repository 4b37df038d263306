/// What a request inside a dialog takes along when it fails (RFC 5057 section 5.1).
enum FailureReach {
    /// Nothing: everything goes on.
    case transaction
    /// What the request belongs to: the call, or a subscription.
    case usage
    /// The dialog with all that is in it: the other side is not reached there any more.
    case dialog

    /// - Parameter status: of the final response. Of 480, 502 and 503, which proxies give while a server restarts, a call gets over.
    init(status: Int) {
        switch status {
        case 408, 481: self = .usage
        case 404, 410, 416, 482, 483, 484, 485, 604: self = .dialog
        default: self = .transaction
        }
    }
}
