import Realtime

/// Asks accounts' servers whether messages wait, and keeps asking (RFC 6665 section 4.1, RFC 3842).
extension UserAgent {
    /// The account was registered: its subscription is made, or made known anew where the server may have lost it.
    func watchMessages(_ id: AccountID, now: HostTime) {
        guard let state = accounts[id] else { return }
        let watch = state.messages
        guard state.account.watchesMessages else { return endMessages(id, now: now) }
        guard !watch.isUnserved else { return }
        guard let subscription = watch.subscription, !subscription.isEnding else {
            // One that failed waits, unless the way to the server has changed meanwhile.
            if watch.isDoubtful || watch.next == nil || watch.subscription != nil { subscribe(id, now: now) }
            return
        }
        if watch.isDoubtful, !subscription.isAsking { refreshMessages(id, now: now) }
    }

    /// The server may have lost the subscription: it hears of it once the account is registered again.
    /// - Parameter isAskedAnew: also where it has said that it never tells.
    func doubtMessages(_ id: AccountID, isAskedAnew: Bool = false) {
        accounts[id]?.messages.isDoubtful = true
        if isAskedAnew { accounts[id]?.messages.isUnserved = false }
    }

    /// Gives the subscription back.
    func endMessages(_ id: AccountID, now: HostTime) {
        guard let old = accounts[id]?.messages.subscription, !old.isEnding else { return }
        accounts[id]?.messages = MessageWatch()
        // Without a dialog there is nobody to tell: 481 to the server's NOTIFY ends it.
        var subscription = old
        guard var dialog = subscription.dialog else { return }
        let request = subscribeRequest(&dialog, expires: 0)
        (subscription.dialog, subscription.isEnding) = (dialog, true)
        accounts[id]?.messages.subscription = subscription
        planMessages(id, at: now.advanced(byMilliseconds: configuration.timers.timeout))
        start(Exchange(request, .discard, account: id, isSecure: dialog.isSecure), now: now)
    }

    func fire(messages id: AccountID, now: HostTime) {
        guard let state = accounts[id], let next = state.messages.next else { return }
        guard next <= now else { return timers.schedule(.messages(id), at: next) }
        accounts[id]?.messages.next = nil
        guard let subscription = state.messages.subscription else {
            // Who is not registered asks when it is.
            return state.registration == .registered ? watchMessages(id, now: now) : doubtMessages(id)
        }
        if subscription.isEnding {
            accounts[id]?.messages.subscription = nil
        } else if !subscription.isAsking {
            refreshMessages(id, now: now)
        }
    }

    private func planMessages(_ id: AccountID, at time: HostTime) {
        accounts[id]?.messages.next = time
        timers.schedule(.messages(id), at: time)
    }

    // MARK: SUBSCRIBE

    private func subscribe(_ id: AccountID, now: HostTime) {
        guard let state = accounts[id],
            var request = try? newRequest(.subscribe, to: .sip(state.account.address), state)
        else { return }
        Self.addSubscribeFields(&request, expires: state.messages.expires)
        accounts[id]?.messages.subscription = MessageSubscription(request, since: now)
        accounts[id]?.messages.next = nil
        accounts[id]?.messages.isDoubtful = false
        start(Exchange(request, .subscribe(id), account: id, nextHop: nextHop(for: request, state)), now: now)
    }

    private func refreshMessages(_ id: AccountID, now: HostTime) {
        guard let watch = accounts[id]?.messages, var subscription = watch.subscription, var dialog = subscription.dialog
        else { return subscribe(id, now: now) }
        let request = subscribeRequest(&dialog, expires: watch.expires)
        (subscription.dialog, subscription.isAsking) = (dialog, true)
        accounts[id]?.messages.subscription = subscription
        accounts[id]?.messages.next = nil
        accounts[id]?.messages.isDoubtful = false
        start(Exchange(request, .subscribe(id), account: id, isSecure: dialog.isSecure), now: now)
    }

    private func subscribeRequest(_ dialog: inout Dialog, expires: UInt32) -> Request {
        var request = dialog.request(.subscribe)
        if let product = configuration.product { request.headers.append(.userAgent, product) }
        Self.addSubscribeFields(&request, expires: expires)
        return request
    }

    private static func addSubscribeFields(_ request: inout Request, expires: UInt32) {
        request.headers.append(.event, MessageWatch.event)
        request.headers.append(.accept, MessageWatch.bodyType)
        request.headers.append(.expires, String(expires))
    }

    /// The number of a SUBSCRIBE that is sent again with credentials.
    func nextSubscribeNumber(_ id: AccountID, after request: Request) -> UInt32 {
        guard request.headers.to.tag != nil, var dialog = accounts[id]?.messages.subscription?.dialog else {
            return request.headers.cSeq.number + 1
        }
        let number = dialog.next()
        accounts[id]?.messages.subscription?.dialog = dialog
        return number
    }

    func subscribeProgressed(_ id: AccountID, _ exchange: Exchange, _ result: Exchange.Result, now: HostTime) {
        guard let subscription = accounts[id]?.messages.subscription, !subscription.isEnding,
            exchange.request.headers.callID == subscription.callID
        else { return }
        switch result {
        case .provisional: break
        case .final(let response) where response.isSuccess: subscribed(id, exchange, response, now: now)
        case .final(let response): refusedMessages(id, exchange, response, now: now)
        case .timedOut: failMessages(id, .init(status: 408, reason: StatusCode.reason(408)), now: now)
        case .unreachable: failMessages(id, .init(reason: "no way to the server"), now: now)
        case .unauthenticated(let failure, let response):
            failMessages(id, .init(status: response.status, reason: failure.rawValue, isRefusal: true), now: now)
        }
    }

    private func subscribed(_ id: AccountID, _ exchange: Exchange, _ response: Response, now: HostTime) {
        guard let watch = accounts[id]?.messages, var subscription = watch.subscription else { return }
        let isFirst = exchange.request.headers.to.tag == nil
        if isFirst { subscription.request = exchange.request }
        subscription.isAsking = false
        var dialog = subscription.dialog ?? Dialog(caller: exchange.request, response: response)
        dialog.confirm()
        dialog.raise(to: exchange.request.headers.cSeq.number)
        if dialog.id.remoteTag == response.headers.to.tag ?? "" { dialog.refreshTarget(response.headers) }
        subscription.dialog = dialog
        accounts[id]?.messages.subscription = subscription
        if !isFirst { accounts[id]?.messages.failures = 0 }
        let granted = min(response.headers.expires ?? watch.expires, watch.expires)
        guard granted > 0 else {
            let reason = "the server keeps no subscription"
            return failMessages(id, .init(status: response.status, reason: reason, isRefusal: true), now: now)
        }
        planMessages(id, at: refreshTime(within: granted, now: now))
    }

    /// Early enough for a lost packet or two, whatever was granted.
    private func refreshTime(within seconds: UInt32, now: HostTime) -> HostTime {
        let share = seconds > 90 ? randomShare(0.7...0.85) : 0.5
        return now.advanced(byMilliseconds: 1000 * max(1, Double(min(seconds, 7 * 86_400)) * share))
    }

    private func refusedMessages(_ id: AccountID, _ exchange: Exchange, _ response: Response, now: HostTime) {
        switch response.status {
        case 423:
            // The server wants a longer expiry; a week is where trust ends.
            guard let least = response.headers.minExpires, let watch = accounts[id]?.messages, least > watch.expires,
                least <= 7 * 86_400
            else { break }
            accounts[id]?.messages.expires = least
            return subscribe(id, now: now)
        case 481 where exchange.request.headers.to.tag != nil:
            // It has forgotten the dialog (RFC 6665 section 4.1.2.2).
            return subscribe(id, now: now)
        default: break
        }
        let isTrouble = response.status == 408 || (500..<600).contains(response.status) && response.status != 501
        failMessages(
            id,
            .init(
                status: response.status, reason: response.reason, isRefusal: !isTrouble,
                isForGood: Self.neverServed.contains(response.status), after: response.headers.retryAfter),
            now: now)
    }

    /// The server does not know the event or the method, or what it would send is not ours to have.
    private static let neverServed: Set<Int> = [405, 415, 416, 420, 489, 501, 505, 604, 606]

    /// Why there is no subscription.
    private struct Failure {
        var status: Int?
        var reason: String
        /// Nobody is hammered with what was refused.
        var isRefusal = false
        var isForGood = false
        /// In seconds.
        var after: UInt32?
        /// Worth telling; the server's restart is not.
        var isTold = true
    }

    private func failMessages(_ id: AccountID, _ failure: Failure, now: HostTime) {
        guard let state = accounts[id] else { return }
        var watch = state.messages
        // One that has held for a while did not fail of what the one before it had failed of.
        if let since = watch.subscription?.since, now.milliseconds(since: since) >= 60_000 { watch.failures = 0 }
        watch.subscription = nil
        watch.next = nil
        watch.isUnserved = failure.isForGood
        let isNews = failure.isTold && (watch.failures == 0 || failure.isForGood)
        let retry = state.account.retry
        var wait = failure.isRefusal ? retry.refusedFirst : retry.networkFirst
        let longest = failure.isRefusal ? retry.refusedLongest : retry.refusedFirst
        for _ in 0..<min(watch.failures, 16) { wait = min(2 * wait, longest) }
        wait *= randomShare(0.5...1)
        if let least = failure.after { wait = max(wait, Double(min(least, 86_400)) * randomShare(1...1.1)) }
        watch.failures += 1
        accounts[id]?.messages = watch
        if !failure.isForGood { planMessages(id, at: now.advanced(byMilliseconds: 1000 * wait)) }
        guard isNews else { return }
        emit(
            .messagesUnwatched(
                id, status: failure.status, reason: failure.reason, retryAfter: failure.isForGood ? nil : wait))
    }

    // MARK: NOTIFY

    /// A NOTIFY with a To tag that belongs to no call.
    /// - Returns: false: to no subscription either.
    func messagesNotified(_ request: Request, _ key: TransactionKey, _ source: SignallingSource, now: HostTime) -> Bool {
        let headers = request.headers
        guard request.method == .notify, let localTag = headers.to.tag,
            let id = accounts.first(where: { $0.value.messages.subscription?.isOf(headers.callID, localTag) == true })?.key,
            var subscription = accounts[id]?.messages.subscription
        else { return false }
        guard headers.event?.token == MessageWatch.event else {
            reply(to: request, 489, from: source, adding: [HeaderField(.allowEvents, MessageWatch.event)])
            return true
        }
        guard !refuseUnknownExtensions(request, source) else { return true }
        let tag = headers.from.tag ?? ""
        var dialog: Dialog
        if let known = subscription.dialog, subscription.isSettled || known.id.remoteTag == tag {
            dialog = known
        } else {
            dialog = Dialog(subscriber: subscription.request, notify: request)
            if let known = subscription.dialog { dialog.raise(to: known.localNumber) }
        }
        // Who answers a SUBSCRIBE that was spread is one; the others are refused (RFC 3842 section 3.9).
        guard dialog.id.remoteTag == tag else { return false }
        guard dialog.admits(headers.cSeq) else {
            reply(to: request, 500, from: source)
            return true
        }
        guard open(request, key, source, now: now) else { return true }
        dialog.refreshTarget(headers)
        (subscription.dialog, subscription.isSettled) = (dialog, true)
        accounts[id]?.messages.subscription = subscription
        respond(key, response(to: request, 200, tag: localTag), now: now)
        if let body = Body(headers: headers, bytes: request.body) {
            emit(.notified(id, event: MessageWatch.event, body))
        }
        noteSubscriptionState(headers, id, isEnding: subscription.isEnding, now: now)
        return true
    }

    /// What the server says of the subscription itself (RFC 6665 section 4.1.3).
    private func noteSubscriptionState(_ headers: Headers, _ id: AccountID, isEnding: Bool, now: HostTime) {
        let state = headers.subscriptionState
        if state?.token.equalsIgnoringCase("terminated") == true {
            guard !isEnding else {
                accounts[id]?.messages.subscription = nil
                accounts[id]?.messages.next = nil
                return
            }
            let reason = state?.parameters["reason"]?.asciiLowercased ?? ""
            return failMessages(
                id,
                Failure(
                    reason: "the server has ended the subscription" + (reason.isEmpty ? "" : ": \(reason)"),
                    isRefusal: reason == "probation" || reason == "giveup",
                    isForGood: ["rejected", "noresource", "invariant"].contains(reason),
                    after: state?.parameters["retry-after"].flatMap { UInt32($0) },
                    isTold: reason != "deactivated" && reason != "timeout"),
                now: now)
        }
        // It may hold shorter than was said before, never longer.
        guard !isEnding, let seconds = state?.parameters["expires"].flatMap({ UInt32($0) }) else { return }
        let time = refreshTime(within: seconds, now: now)
        if accounts[id]?.messages.next.map({ time < $0 }) ?? true { planMessages(id, at: time) }
    }
}

extension MessageSubscription {
    fileprivate func isOf(_ callID: String, _ localTag: String) -> Bool {
        self.callID == callID && self.localTag == localTag
    }
}
