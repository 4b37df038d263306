import Glibc
import History
import Link
import LiveMedia
import Realtime
import Reporting
import Signalling
import Softphone

/// The service: registered, taking and making calls, controlled by HTTP, until it is told to end.
///
/// The thread that calls `run` takes what the telephone tells and closes calls that are over; requests are answered on threads
/// of their own.
public final class SoftphoneService: Sendable {
    /// More than all calls and connections together need.
    private static let descriptorsWanted = 16_384

    private let live: LiveSettings
    private var settings: ServiceSettings { live.now }
    private let reloader: Reloader
    private let hangup: ReloadSignal
    private let phone: SIPPhone
    /// Who it is among those that share its accounts.
    private let seat: InstanceSeat
    private let telephone: SIPTelephone
    private let core: ServiceCore
    private let server: HTTPServer
    /// `nil`: figures have no listener of their own.
    private let figuresServer: HTTPServer?
    /// Rings when a call is over.
    private let bell: EventSignal
    /// Where it is controlled.
    public let url: String
    /// Where figures alone are to be had; `nil`: they have no listener of their own.
    public let metricsURL: String?
    /// By which the first person comes in; `nil`: there is a token already.
    private let firstLink: String?

    /// Binds its sockets; its accounts are being registered.
    public init(_ settings: ServiceSettings) throws(SoftphoneError) {
        let live = LiveSettings(settings)
        self.live = live
        let bell: EventSignal
        do { (bell, hangup) = (try EventSignal(), try ReloadSignal()) } catch { throw .resources("\(error)") }
        self.bell = bell
        var request = PhoneRequest(accounts: settings.accounts, codecs: settings.codecs, media: settings.media)
        (request.product, request.access) = (settings.product, settings.access)
        (request.tracePath, request.port) = (settings.tracePath, settings.sipPort)
        let seat = InstanceSeat(environment: settings.environment)
        (self.seat, request.instance) = (seat, seat.urn)
        do throws(SoftphoneError) { phone = try Softphone().open(request) } catch { throw settings.unopened(error) }
        telephone = SIPTelephone(phone: phone, live: live)
        let spool = EventSpool(epoch: String(Timestamp.now().millisecondsSince1970, radix: 36))
        let history = try settings.openHistory()
        let (loops, isRealtime) = (settings.media.device.loops, settings.media.device.realtime)
        let calls = CallBook(
            spool: spool, counters: CallCounters(), capacity: settings.callsAllowed, drainSeconds: settings.drainSeconds,
            isMemoryShort: { [memory = MemoryHeadroom()] in memory.isShort },
            keepsUp: { loops.admits(realtime: isRealtime) }, onKept: { history?.note(CallEntry($0)) },
            onChange: { bell.signal() })
        let own =
            settings.tokens[.admin] == nil
            ? FirstDoor.open(
                keepingIn: try? PeerFolder(environment: settings.environment), now: .monotonicNow()) : nil
        let core = ServiceCore(
            calls: calls, accounts: AccountBook(settings.accounts.map { ($0.name, $0.uri) }, spool: spool),
            ends: { live.now.ends }, history: history, recordings: settings.recordings,
            webhooks: settings.webhookDesk(spool), firstDoor: own?.door, telephone: telephone,
            check: CheckDesk { live.now.findings }, callsPerMinute: { live.now.callsPerMinute },
            relays: { live.now.relays }, loops: { loops.figures }, drops: request.drops,
            rulesOfAccount: { name in name.flatMap { live.now.rulesOfAccount[$0] } ?? AccountRules() },
            unreached: { live.now.unreached($1, of: $0) }, audioOfAccount: { live.now.audio(of: $0) })
        self.core = core
        let gate = Gate(tokens: settings.tokens(orOwn: own?.token), isOnLoopback: settings.address.isLoopback)
        let reloader = Reloader(live, core: core, gate: gate, ownToken: own?.token) {
            [phone] (accounts) throws(SoftphoneError) in
            try phone.change(accounts: accounts)
        }
        self.reloader = reloader
        core.configure(
            show: { live.json }, reload: { () throws(Problem) in try reloader.reload() },
            secrets: { live.now.secrets + [own?.token].compactMap(\.self) })
        let router = Router(Routes.all, gate: gate)
        let descriptors = DescriptorLimit.raise(to: Self.descriptorsWanted)
        let certificate: CertificateKeeper?
        do throws(CertificateFilesFailure) {
            certificate = try settings.certificate.map { (files) throws(CertificateFilesFailure) in
                try CertificateKeeper(files)
            }
        } catch {
            phone.close()
            throw .request("\(error.text), in softphone.certificate; name the files of both")
        }
        do throws(SoftphoneError) {
            server = try HTTPServer.listen(
                settings.address, settings.port, RequestDesk(router, core), core, certificate, descriptors: descriptors,
                chosenBy: "softphone.address and softphone.port")
            figuresServer = try settings.metricsPort.map { port throws(SoftphoneError) in
                try HTTPServer.listen(
                    settings.metricsAddress, port,
                    RequestDesk(FiguresListener.router(at: settings.metricsAddress), core), core, nil,
                    descriptors: descriptors / 4, chosenBy: "softphone.metrics_address and softphone.metrics_port")
            }
        } catch {
            phone.close()
            throw error
        }
        do throws(SoftphoneError) { try core.webhooks.change(settings.webhooks) } catch {
            phone.close()
            throw error
        }
        url = server.url(at: settings.address, isSecure: certificate != nil)
        firstLink = own?.door?.link(to: url)
        metricsURL = figuresServer.map { $0.url(at: settings.metricsAddress) + "/metrics" }
    }

    /// What is printed at the start: where it is, and the link by which the first person comes in.
    public var banner: [String] {
        ["yodel softphone at \(url)"] + (metricsURL.map { ["metrics at \($0)"] } ?? [])
            + (firstLink.map { ["open \($0) within 10 minutes; it counts once"] } ?? [])
    }

    deinit { bell.close() }

    /// Runs until told to end and drained: no new calls, running ones to their end or the limit, then everything closed.
    /// - Parameters:
    ///   - signals: readable once the service shall end.
    ///   - shallEnd: takes what is readable there; whether it means the end.
    public func run(signals: Int32, shallEnd: () -> Bool) {
        server.start()
        figuresServer?.start()
        let manager = settings.manager
        manager.tell(.ready, .status(core.summary))
        core.check.begin { findings in
            for finding in findings { logger.log(level: finding.grade == .fine ? .info : .warning, "\(finding.text)") }
        }
        var deadline: HostTime?
        var heap = HeapTrimmer()
        var sampler = FiguresSampler()
        var watchdog = Watchdog(manager, now: .monotonicNow())
        var (wasFull, load) = (false, LoadNotice())
        while true {
            watchdog.look(now: .monotonicNow()) { server.run($0) }
            let next = [heap.due, watchdog.due, sampler.due, deadline].compactMap(\.self).min()
            wait(for: signals, until: next, isEnding: deadline != nil)
            bell.drain()
            if hangup.take() {
                manager.tell(.reloading(monotonicMicroseconds: ServiceManager.monotonicMicroseconds))
                _ = try? reloader.reload()
                manager.tell(.ready, .status(core.summary))
            }
            for news in phone.takeNews() { take(news) }
            core.calls.closeEnded()
            heap.look(running: core.calls.running, now: .monotonicNow())
            if let text = load.look(core.loops().loop) { logger.notice("\(text)") }
            let isFull = core.calls.headroom == 0
            if isFull != wasFull { phone.setFull(retryAfterSeconds: isFull ? CallBook.retrySeconds : nil) }
            wasFull = isFull
            sampler.look(core.calls, running: core.calls.running, now: .monotonicNow())
            if deadline == nil, core.wantsEnd || shallEnd() { deadline = beginDrain() }
            if let deadline, core.calls.running == 0 || HostTime.monotonicNow() >= deadline { break }
        }
        end()
    }

    private func wait(for signals: Int32, until deadline: HostTime?, isEnding: Bool) {
        // Once it ends, nobody takes the signals any more: a second one ends the process by itself.
        let descriptors = [phone.newsDescriptor, bell.fileDescriptor, hangup.fileDescriptor] + (isEnding ? [] : [signals])
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = deadline.map { Int32(max(0, min(500, $0.milliseconds(since: .monotonicNow()) + 1))) }
        poll(&entries, nfds_t(entries.count), left ?? -1)
    }

    private func take(_ news: PhoneNews) {
        switch news {
        case .registration(let report):
            core.accounts.take(report)
            logger.notice("\(Event(.registration(report)).text ?? "")")
            settings.manager.tell(.status(core.summary))
        case .caller(let caller): core.callCame(caller, account: caller.account, from: caller.from, at: telephone)
        case .messageSent(let number, let code, let reason): core.messages.answered(number, sipCode: code, reason: reason)
        case .notice(.messagesWaiting(let account, let isWaiting, let new, let old)):
            core.accounts.take(WaitingMessages(isWaiting: isWaiting, new: new, old: old), of: account)
        case .notice(let body): core.take(notice: body)
        case .warning(let text): logger.warning("\(text)")
        }
    }

    /// For what comes after the calls: their ends, registrations, connections, seconds.
    private static let marginSeconds = 10

    private func beginDrain() -> HostTime {
        let seconds = live.now.drainSeconds
        settings.manager.tell(.stopping(seconds: seconds + Self.marginSeconds), .status("ending; running calls may go on"))
        // Before the calls that ring are let go of: they hear the same as those that come.
        telephone.drain(seconds: seconds)
        core.calls.drain()
        logger.notice("ending: \(core.calls.running) calls may go on for \(seconds) s")
        core.spool.publish(
            type: "draining",
            [
                JSONMember("type", .string("draining")), JSONMember("time", .string(Timestamp.now().text)),
                JSONMember("seconds", .integer(seconds)),
            ].object)
        return HostTime.monotonicNow().advanced(byMilliseconds: 1000 * Double(seconds))
    }

    /// How long the other sides have to answer that a call is over.
    private static let farewellMilliseconds = 3000.0

    private func end() {
        core.calls.hangUpAll()
        let limit = HostTime.monotonicNow().advanced(byMilliseconds: Self.farewellMilliseconds)
        while core.calls.running > 0, HostTime.monotonicNow() < limit {
            wait(for: -1, until: limit, isEnding: true)
            bell.drain()
            for news in phone.takeNews() { take(news) }
            core.calls.closeEnded()
        }
        core.calls.closeAll()
        core.history?.close()
        phone.close()
        if let drops = core.drops.text { logger.debug("what came by SIP and was dropped: \(drops)") }
        core.spool.finish()
        core.check.finish()
        core.accountChecks.finish()
        // Subscribers get the last events.
        usleep(100_000)
        _ = try? waitFor { [server, figuresServer, core] in
            await core.webhooks.finish()
            await server.stop()
            await figuresServer?.stop()
        }
    }
}
