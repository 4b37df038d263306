import AudioDevices
import AudioUnits
import CAudit
import Codecs
import Glibc
import Link
import LiveMedia
import Media
import Network
import Realtime
import Testing

/// Sessions on devices with threads of their own that call each other over UDP; nothing is judged by how long it takes.
@Suite("A session that stays open") struct OpenSessionTests {
    private static let here = IPAddress(v4: 0x7f00_0001)
    /// Threads of their own, and one that they share.
    private static let threads: [SessionLoops?] = [nil, SessionLoops(count: 1)]

    private static func configuration(_ codec: Codec, _ milliseconds: Int, seed: UInt64) -> CallConfiguration {
        var configuration = CallConfiguration(codec: codec, seed: seed)
        configuration.encoder.frameMilliseconds = milliseconds
        return configuration
    }

    /// Somebody who waits to be called; `socket` is bound.
    private static func callee(
        _ configuration: CallConfiguration, loops: SessionLoops? = nil
    ) throws -> (session: CallSession, address: SocketAddress) {
        let socket = try UDPLink(bind: here)
        let session = try CallSession(
            [CallParty(configuration: configuration, socket: socket)], unit: RemoteIO(device: VirtualDevice(.null)),
            loops: loops)
        return (session, socket.local)
    }

    private static func party(_ configuration: CallConfiguration, at remote: SocketAddress, port: UInt16 = 0) throws
        -> CallParty
    {
        CallParty(configuration: configuration, socket: try UDPLink(bind: here, localPort: port, remote: remote))
    }

    /// Waits until it is so; half a minute is longer than any machine stands still.
    private func wait(for condition: () -> Bool) -> Bool {
        for _ in 0..<3000 {
            if condition() { return true }
            usleep(10_000)
        }
        return false
    }

    /// Waits until a party's call is over, and says why.
    private func end(of channel: CallChannel) -> EndReason? {
        var end: EndReason?
        _ = wait {
            for case .call(.ended(let reason)) in channel.events.takeAll() { end = reason }
            return end != nil
        }
        return end
    }

    private func packets(_ channel: CallChannel) -> Int { channel.statistics.packetsReceived ?? 0 }

    /// Whether both sides of a call get more packets than they had.
    private func flows(_ one: CallChannel, _ other: CallChannel) -> Bool {
        let (mine, theirs) = (packets(one), packets(other))
        return wait { packets(one) > mine + 20 && packets(other) > theirs + 20 }
    }

    @Test("takes in and lets go parties of other codecs and packet lengths, while the others talk on", arguments: threads)
    func comeAndGo(loops: SessionLoops?) throws {
        let stays = try Self.callee(Self.configuration(.opus, 20, seed: 1), loops: loops)
        let pcmu = Self.configuration(.pcmu, 10, seed: 2)
        let leaves = try Self.callee(pcmu, loops: loops)
        let session = try CallSession(
            [try Self.party(Self.configuration(.opus, 20, seed: 3), at: stays.address)],
            unit: RemoteIO(device: VirtualDevice(.null)), staysOpen: true, loops: loops)
        for each in [stays.session, leaves.session, session] { try each.start() }
        #expect(flows(session.channel, stays.session.channel))

        // A port of ours, to see that it is given back.
        let reserved = try UDPLink(bind: Self.here).local.port
        let second = try session.add(try Self.party(pcmu, at: leaves.address, port: reserved))
        #expect(flows(second, leaves.session.channel))
        session.remove(second)
        #expect(end(of: second) == .localHangup)
        #expect(packets(second) > 0 && second.linkStatistics.received > 0)
        #expect(end(of: leaves.session.channel) == .remoteHangup)
        leaves.session.finish()
        #expect(wait { (try? UDPLink(bind: Self.here, localPort: reserved)) != nil }, "port \(reserved) is still taken")
        #expect(flows(session.channel, stays.session.channel))

        // The last one leaves, and somebody else comes.
        session.remove(session.channel)
        #expect(end(of: session.channel) == .localHangup)
        #expect(end(of: stays.session.channel) == .remoteHangup)
        stays.session.finish()
        let g722 = Self.configuration(.g722, 40, seed: 4)
        let late = try Self.callee(g722, loops: loops)
        try late.session.start()
        let third = try session.add(try Self.party(g722, at: late.address))
        #expect(flows(third, late.session.channel))
        late.session.channel.send(.hangUp(.localHangup))
        late.session.finish()
        #expect(end(of: third) == .remoteHangup)
        session.finish()
        #expect(session.channels.count == 3)
    }

    @Test("that is over, or never stayed open, takes nobody and says so", arguments: threads)
    func over(loops: SessionLoops?) throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1), loops: loops)
        for staysOpen in [false, true] {
            let session = try CallSession(
                [try Self.party(Self.configuration(.opus, 20, seed: 3), at: other.address)],
                unit: RemoteIO(device: VirtualDevice(.null)), staysOpen: staysOpen, loops: loops)
            try session.start()
            if staysOpen {
                session.channel.send(.hangUp(.localHangup))
                session.finish()
            }
            let party = try Self.party(Self.configuration(.opus, 20, seed: 5), at: other.address)
            #expect { try session.add(party) } throws: { error in
                if case CallError.conference(.over) = error { true } else { false }
            }
            if !staysOpen {
                session.channel.send(.hangUp(.localHangup))
                session.finish()
            }
        }
    }

    /// A device that says of itself as many over- and underruns as the test wants.
    private final class CountingDevice: HardwareDevice {
        private let device = VirtualDevice(.null)
        let xruns = Lock(0)

        var identifier: String { device.identifier }
        var status: DeviceStatus {
            var status = device.status
            status.captureXruns = xruns.withLock { $0 }
            status.playbackXruns = 2 * status.captureXruns
            status.playbackSilentMilliseconds = 10 * Double(status.captureXruns)
            return status
        }
        func open(_ request: DeviceRequest) throws(DeviceError) -> DeviceGrant { try device.open(request) }
        func start(_ callbacks: DeviceCallbacks) throws(DeviceError) { try device.start(callbacks) }
        func stop() { device.stop() }
        func close() { device.close() }
        func setEventHandler(_ handler: (@Sendable (DeviceEvent) -> Void)?) { device.setEventHandler(handler) }
    }

    @Test("tells each party of the device's troubles since its call began")
    func troubles() throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        let device = CountingDevice()
        let make = { (seed: UInt64) in try Self.party(Self.configuration(.pcmu, 20, seed: seed), at: other.address) }
        let session = try CallSession([try make(2)], unit: RemoteIO(device: device), staysOpen: true)
        try session.start()
        func xruns(_ channel: CallChannel, _ wanted: Int) -> Bool {
            wait {
                let told = channel.statistics.xruns
                return told.capture == wanted && told.playback == 2 * wanted && told.silentMilliseconds == 10 * Double(wanted)
            }
        }
        device.xruns.withLock { $0 = 7 }
        #expect(xruns(session.channel, 7))
        let late = try session.add(try make(3))
        #expect(xruns(late, 0))
        device.xruns.withLock { $0 = 9 }
        #expect(xruns(session.channel, 9) && xruns(late, 2))
        // The device was opened anew.
        device.xruns.withLock { $0 = 1 }
        #expect(xruns(late, 1))
        for channel in session.channels { session.remove(channel) }
        session.finish()
    }

    @Test("keeps nothing of a party that was released, and tells what concerns the device to who is left")
    func release() throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        // A file in memory that is forbidden to grow stands for a loudspeaker that breaks.
        let loudspeaker = limited_file_open()
        try #require(loudspeaker >= 0)
        defer { close(loudspeaker) }
        let device = VirtualDevice(
            capture: .null, playback: .file(capture: nil, playback: "/proc/self/fd/\(loudspeaker)", loop: false))
        let make = { (seed: UInt64) in try Self.party(Self.configuration(.pcmu, 20, seed: seed), at: other.address) }
        let session = try CallSession([try make(2)], unit: RemoteIO(device: device), staysOpen: true)
        try session.start()
        let stays = try session.add(try make(3))
        var passing: CallChannel? = try session.add(try make(4))
        weak var gone: CallChannel?
        gone = passing
        let start = ContinuousClock.now
        session.release(try #require(passing))
        // It is done when the media thread has let go; the limit of 3 s is for one that does not.
        #expect(ContinuousClock.now - start < .milliseconds(2900))
        passing = nil
        #expect(wait { gone == nil })
        session.release(session.channel)
        #expect(session.channels.count == 1 && session.channels.first === stays)

        try #require(limited_file_fill(loudspeaker))
        var isTold = false
        #expect(
            wait {
                for case .device(.lost) in stays.events.takeAll() { isTold = true }
                return isTold
            })
        session.release(stays)
        #expect(session.channels.isEmpty)
        session.finish()
    }

    @Test(
        "says of a recording that began in mid-call that the disk takes no more, also when it ended with the call",
        arguments: threads)
    func recordingFails(loops: SessionLoops?) throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        let session = try CallSession(
            [try Self.party(Self.configuration(.opus, 20, seed: 2), at: other.address)],
            unit: RemoteIO(device: VirtualDevice(.null)), staysOpen: true, loops: loops)
        try session.start()
        let disk = limited_file_open()
        try #require(disk >= 0)
        defer { close(disk) }
        let path = "/proc/self/fd/\(disk)"
        try session.startRecording(path: path)
        #expect(session.takeFileWarnings().isEmpty)
        try #require(limited_file_fill(disk))
        var warnings: [String] = []
        #expect(
            wait {
                warnings += session.takeFileWarnings()
                return !warnings.isEmpty
            })
        #expect(warnings.count == 1 && warnings[0].contains(path))
        session.remove(session.channel)
        #expect(session.finish().map(\.path) == [path])
        #expect(session.takeFileWarnings().isEmpty)
    }

    @Test("that ends waits for nobody to let go of its recording", arguments: threads)
    func recordingEnds(loops: SessionLoops?) throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        let session = try CallSession(
            [try Self.party(Self.configuration(.opus, 20, seed: 2), at: other.address)],
            unit: RemoteIO(device: VirtualDevice(.null)), staysOpen: true, loops: loops)
        try session.start()
        let file = limited_file_open()
        try #require(file >= 0)
        defer { close(file) }
        try session.startRecording(path: "/proc/self/fd/\(file)")
        session.remove(session.channel)
        #expect(session.finish().isEmpty)
        #expect(!session.recorderSlot.isWaiting)
    }

    @Test("takes as many as a headset has directions for, and another one when somebody has left", arguments: threads)
    func full(loops: SessionLoops?) throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        let make = { (seed: UInt64) in try Self.party(Self.configuration(.pcmu, 20, seed: seed), at: other.address) }
        let session = try CallSession(
            [try make(1)], unit: RemoteIO(device: VirtualDevice(.null)), staysOpen: true, playoutChannels: 2, loops: loops)
        try session.start()
        for seed in 2...UInt64(HeadsetMixer.maximumParties) { _ = try session.add(try make(seed)) }
        let one = try make(9)
        #expect { try session.add(one) } throws: { error in
            if case CallError.conference(.full(parties: HeadsetMixer.maximumParties)) = error { true } else { false }
        }
        session.remove(session.channels[3])
        #expect(wait { (try? session.add(one)) != nil })
        for channel in session.channels { session.remove(channel) }
        session.finish()
        #expect(session.channels.count == HeadsetMixer.maximumParties + 1)
    }

    @Test("shares a thread where its device lets others move it, and only there")
    func sharing() throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        let loops = SessionLoops(count: 1)
        let room = VirtualDevice(try DeviceSpecification(parsing: "room:small"))
        for (device, isShared) in [(VirtualDevice(.null), true), (room, false)] {
            let session = try CallSession(
                [try Self.party(Self.configuration(.opus, 20, seed: 2), at: other.address)], unit: RemoteIO(device: device),
                loops: loops)
            #expect(session.sharesThread == isShared)
            try session.start()
            session.channel.send(.hangUp(.localHangup))
            session.finish()
        }
    }

    @Test("begins at a loop that others have left, as at one that was never used")
    func loopsBeginAnew() throws {
        let loops = SessionLoops(count: 2)
        for round in 0..<2 {
            var pairs: [(called: CallSession, calls: CallSession)] = []
            for seed in UInt64(1)...3 {
                let callee = try Self.callee(Self.configuration(.pcmu, 20, seed: 2 * seed), loops: loops)
                let party = try Self.party(Self.configuration(.pcmu, 20, seed: 2 * seed + 1), at: callee.address)
                let caller = try CallSession([party], unit: RemoteIO(device: VirtualDevice(.null)), loops: loops)
                pairs.append((callee.session, caller))
            }
            for pair in pairs {
                try pair.called.start()
                try pair.calls.start()
            }
            for pair in pairs { #expect(flows(pair.called.channel, pair.calls.channel), "round \(round)") }
            for pair in pairs {
                pair.calls.channel.send(.hangUp(.localHangup))
                pair.calls.finish()
                #expect(end(of: pair.called.channel) == .remoteHangup)
                pair.called.finish()
            }
        }
    }

    @Test("refuses a party whose codec cannot be made, and goes on")
    func badCodec() throws {
        let other = try Self.callee(Self.configuration(.opus, 20, seed: 1))
        let session = try CallSession(
            [try Self.party(Self.configuration(.opus, 20, seed: 2), at: other.address)],
            unit: RemoteIO(device: VirtualDevice(.null)), staysOpen: true)
        try session.start()
        let party = try Self.party(Self.configuration(.opus, 7, seed: 3), at: other.address)
        #expect { try session.add(party) } throws: { error in
            if case CallError.codec = error { true } else { false }
        }
        #expect(session.channels.count == 1)
        session.remove(session.channel)
        session.finish()
    }
}
