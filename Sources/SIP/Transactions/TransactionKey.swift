/// What a message's transaction is found by (RFC 3261 sections 17.1.3 and 17.2.3).
struct TransactionKey: Hashable {
    /// Branch, or the fields that identify an RFC 2543 transaction.
    let identity: String
    /// Host and port of the top Via; empty for a client transaction, whose branch is ours.
    let sentBy: String
    /// ACK counts as INVITE. CANCEL is a transaction of its own.
    let method: Method

    /// The key of a client transaction, and of the response that belongs to it.
    init(branch: String, method: Method) {
        identity = branch
        sentBy = ""
        self.method = method
    }

    /// The key of the server transaction that a request belongs to, or opens. nil without a Via.
    init?(request: Request, method: Method? = nil) {
        guard let via = request.headers.topVia else { return nil }
        self.method = method ?? (request.method == .ack ? .invite : request.method)
        sentBy = via.sentBy
        if let branch = via.transactionBranch {
            identity = branch
        } else {
            // RFC 2543 requests have no usable branch: the fields that stay the same stand for it. The To tag is left
            // out, since an ACK has one that its INVITE had not.
            let headers = request.headers
            identity =
                "2543 \(request.uri.text) \(headers.from.tag ?? "") \(headers.callID) "
                + "\(headers.cSeq.number) \(via.text)"
        }
    }

    /// The same transaction's key for another method: an INVITE's for its CANCEL.
    func with(method: Method) -> TransactionKey { TransactionKey(identity: identity, sentBy: sentBy, method: method) }

    private init(identity: String, sentBy: String, method: Method) {
        self.identity = identity
        self.sentBy = sentBy
        self.method = method
    }
}
