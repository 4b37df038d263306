import AudioDevices
import AudioSession
import AudioUnits
import Foundation
import Testing

/// A session beside a real sound server; in this suite because the server is found through the environment.
extension ALSADeviceTests {
    private func playing(_ name: String) throws -> (RemoteIO, AudioSession, SessionEventLog) {
        let session = AudioSession()
        let log = SessionEventLog()
        session.setEventHandler { log.add($0) }
        session.setCategory(.playback, options: .duckOthers)
        let unit = RemoteIO(device: ALSADevice(capture: "pulse:\(name).monitor", playback: "pulse:\(name)"))
        session.setPreferredOutput(name)
        try session.attach(unit)
        try unit.initialize()
        try unit.start()
        return (unit, session, log)
    }

    private func isRoute(_ reason: RouteChangeReason, to name: String) -> (SessionEvent) -> Bool {
        {
            if case .routeChanged(let change) = $0 {
                change.reason == reason && change.current.outputs.map(\.id) == [name]
            } else {
                false
            }
        }
    }

    @Test("V2: another program's stream on our sink is lowered while the session is active, and restored")
    func ducksAndRestores() async throws {
        let server = try PulseServer()
        try await server.start()
        let near = server.player(into: "out")
        defer { near.end() }
        #expect(await eventually { server.playersVolume() == 100 })
        let (unit, session, log) = try playing("out")
        session.activate()
        #expect(await eventually { server.playersVolume() == 46 }, "-20 dB on the cubic scale")
        #expect(log.all.contains(where: isRoute(.categoryChange, to: "out")), "\(log.all)")
        #expect(try session.values().sampleRate == 48_000)
        session.deactivate()
        #expect(server.playersVolume() == 100)
        session.activate()
        #expect(await eventually { server.playersVolume() == 46 })
        server.pactl("set-sink-mute", "out", "1")
        #expect(await log.wait { if case .outputSilent(.muted, _) = $0 { true } else { false } })
        server.pactl("set-sink-mute", "out", "0")
        #expect(await log.wait { if case .outputAudible = $0 { true } else { false } })
        session.deactivate()
        #expect(server.playersVolume() == 100)
        unit.dispose()
        withExtendedLifetime(server) {}
    }

    @Test("S6: a sink that goes and comes back, five times, and a server that is killed: the session follows")
    func pulledAndReturned() async throws {
        let server = try PulseServer()
        try await server.start()
        func load() -> String {
            server.pactl(
                "load-module", "module-null-sink", "sink_name=headset", "rate=48000", "channels=1",
                "sink_properties=device.form_factor=headset")
        }
        var module = load()
        let (unit, session, log) = try playing("headset")
        session.activate()
        #expect(try session.route().outputs.map(\.kind) == [.headset])
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for turn in 1...5 {
            log.forget()
            server.pactl("unload-module", module)
            #expect(
                await log.wait {
                    if case .routeChanged(let change) = $0 { change.reason == .oldDeviceGone } else { false }
                }, "turn \(turn): \(log.all)")
            module = load()
            #expect(await log.wait(for: isRoute(.newDevice, to: "headset")), "turn \(turn): \(log.all)")
        }
        log.forget()
        server.kill()
        #expect(await log.wait { if case .serverLost = $0 { true } else { false } })
        #expect(throws: SessionLimit.self) { try session.checkSoundServer() }
        try await server.start()
        _ = load()
        #expect(await log.wait { $0 == .serverBack })
        #expect(await eventually { (try? session.route().outputs.map(\.id)) == ["headset"] })
        #expect(await eventually { unit.device.status.isPresent })
        let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect(after <= descriptors + 2, "\(descriptors) descriptors before, \(after) after")
        session.deactivate()
        unit.dispose()
    }

    @Test("S3: other sessions see the category that was set while the server had not answered yet")
    func markSetWhileConnecting() async throws {
        let server = try PulseServer()
        try await server.start()
        let session = AudioSession()
        session.setCategory(.playback)
        server.signal(SIGSTOP)
        // The first answer is waited for in vain: by then the connection has been asked for, with the first category.
        session.activate(waitMilliseconds: 200)
        session.setCategory(.playback, options: .mixWithOthers)
        server.signal(SIGCONT)
        #expect(await eventually { server.pactl("list", "clients").contains("yodel.session = \"mixed\"") })
        session.deactivate()
        withExtendedLifetime(server) {}
    }

    @Test("S5: two outputs at once play different sound, by their channel maps, sample by sample")
    func multiRoute() async throws {
        let server = try PulseServer()
        try await server.start()
        for name in ["speaker", "headset"] {
            // norewinds: an idle null sink has else rendered 2 s of silence ahead
            server.pactl(
                "load-module", "module-null-sink", "sink_name=\(name)", "rate=48000", "channels=2", "format=float32le",
                "norewinds=1")
            server.pactl("load-module", "module-loopback", "source=hush", "sink=\(name)", "latency_msec=20")
        }
        let session = AudioSession()
        session.setCategory(.multiRoute, options: .mixWithOthers)
        // Two channels that no sample of one is a sample of the other's, each with its place in time.
        let ring = MapSource(offset: 1, scale: 0x1p-16)
        let call = MapSource(offset: 0, scale: -0x1p-16)
        let ears = [Recording(server, "speaker.monitor"), Recording(server, "headset.monitor")]
        var units: [RemoteIO] = []
        for (name, source, map) in [("speaker", ring, [1, -1]), ("headset", call, [0, 0])] {
            let unit = RemoteIO(device: ALSADevice(capture: "null", playback: "pulse:\(name)"))
            var request = DeviceRequest()
            request.playbackChannels = 2
            request.realtimePriority = 3
            try session.attach(unit, request: request)
            try unit.setFormat(StreamFormat(sampleRate: 48_000, channels: 2), scope: .input, element: Element.output)
            try unit.setChannelMap(map)
            try unit.setRenderCallback(source.callback)
            try unit.initialize()
            units.append(unit)
        }
        session.activate()
        for unit in units { try unit.start() }
        #expect(
            await eventually {
                (try? session.route().outputs.map(\.id).sorted()) == ["headset", "speaker"]
            })
        try await Task.sleep(for: .seconds(2.5))
        let heard = ears.map { $0.finish() }
        for unit in units { unit.dispose() }
        session.deactivate()
        // speaker: left is the ring tone's second channel, right is silent; headset: both are the call's first
        let speaker = Self.compare(heard[0], with: ring, channel: 1, isSilentRight: true)
        let headset = Self.compare(heard[1], with: call, channel: 0, isSilentRight: false)
        for (name, frames) in [("speaker", speaker), ("headset", headset)] {
            #expect(frames.wrong == 0 && frames.right > 48_000, "\(name): \(frames)")
            #expect(frames.inOrder > frames.right * 9 / 10, "\(name): \(frames)")
        }
        withExtendedLifetime((server, ring, call)) {}
    }

    /// Every frame heard that is not silence: the source's channel where the map puts it, or wrong; `inOrder` follow the
    /// source's previous frame (an underrun on a loaded machine breaks the order, never the map).
    private static func compare(
        _ heard: [Float], with source: MapSource, channel: Int, isSilentRight: Bool
    ) -> (right: Int, wrong: Int, inOrder: Int) {
        var (counts, next) = ((right: 0, wrong: 0, inOrder: 0), -1)
        for frame in 0..<heard.count / 2 {
            let (left, right) = (heard[2 * frame], heard[2 * frame + 1])
            if left == 0 && right == 0 { continue }
            guard let place = source.place(of: left, channel: channel), right == (isSilentRight ? 0 : left) else {
                counts.wrong += 1
                continue
            }
            counts.right += 1
            if place == next { counts.inOrder += 1 }
            next = (place + 1) % MapSource.period
        }
        return counts
    }
}

/// Two channels of numbers that tell their own place, exact in Float32.
private final class MapSource: @unchecked Sendable {
    static let period = 8192
    private let offset: Int
    private let scale: Float
    private var position = 0

    init(offset: Int, scale: Float) { (self.offset, self.scale) = (offset, scale) }

    func sample(_ frame: Int, channel: Int) -> Float {
        Float(frame % Self.period * 2 + channel + offset + 1) * scale
    }

    /// The frame of a period at which the channel has this very sample.
    func place(of sample: Float, channel: Int) -> Int? {
        let number = Int((sample / scale).rounded()) - channel - offset - 1
        guard number >= 0, number % 2 == 0, number / 2 < Self.period else { return nil }
        return self.sample(number / 2, channel: channel) == sample ? number / 2 : nil
    }

    var callback: RenderCallback {
        RenderCallback(context: Unmanaged.passUnretained(self).toOpaque()) { context, slice in
            let source = Unmanaged<MapSource>.fromOpaque(context).takeUnretainedValue()
            let slice = slice.assumingMemoryBound(to: RenderSlice.self)
            let data = slice.pointee.data.assumingMemoryBound(to: Float.self)
            let stride = slice.pointee.channelByteStride / 4
            for channel in 0..<2 {
                for frame in 0..<slice.pointee.frames {
                    data[channel * stride + frame] = source.sample(source.position + frame, channel: channel)
                }
            }
            source.position += slice.pointee.frames
        }
    }
}

/// What a monitor hears, two channels of Float32.
private final class Recording {
    private let process: Background
    private let path: String

    init(_ server: PulseServer, _ source: String) {
        path = server.directory + "/" + source + ".raw"
        let format = "--format=float32le --rate=48000 --channels=2 --raw"
        process = Background("parec --server unix:\(server.directory)/native -d \(source) \(format) \(path)")
    }

    func finish() -> [Float] {
        process.end()
        let data = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        return data.prefix(data.count / 4 * 4).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
}
