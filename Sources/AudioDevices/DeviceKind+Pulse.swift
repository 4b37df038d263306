import AudioUnits
import CPulse
import Realtime

extension DeviceKind {
    /// Sinks and sources of PulseAudio, or PipeWire in its place, by the server's own list.
    static let pulse = DeviceKind(
        prefix: "pulse", list: { listPulse() },
        parse: { (rest, _) throws(DeviceError) in .other(AnyNamedDevice(PulseName(place: rest))) })
}

/// The server is asked once; what it lists opens.
private func listPulse() -> [DeviceListing] {
    func own(_ direction: DeviceListing.Direction) -> DeviceListing {
        DeviceListing(
            name: "pulse:", description: "what the sound server has as default, by its own interface", capture: direction,
            playback: direction)
    }
    do throws(DeviceError) {
        return [own(DeviceListing.Direction(opens: true))] + (try PulseCatalogue().read())
    } catch {
        return [own(DeviceListing.Direction(opens: false, reason: error.reason, remedy: error.remedy))]
    }
}

/// What a server has, asked for by who lists devices.
private final class PulseCatalogue {
    private var listings: [DeviceListing] = []
    private var unanswered = 0

    /// A server that has not answered after this time hangs, in milliseconds.
    private static let patience = 2000.0

    func read() throws(DeviceError) -> [DeviceListing] {
        let connection = try PulseConnection(wake: nil)
        let end = HostTime.monotonicNow().advanced(byMilliseconds: Self.patience)
        connection.connect()
        var hasAsked = false
        while !hasAsked || unanswered > 0 {
            switch connection.state {
            case .absent: throw PulseErrors.noMemory
            case .failed(let code): throw PulseErrors.connecting(code, connection.words(code), device: "pulse:")
            case .ready where !hasAsked:
                hasAsked = true
                ask(connection)
            case .ready, .connecting: break
            }
            let left = end.milliseconds(since: .monotonicNow())
            if left <= 0 { throw .hostMissing(device: "pulse:", reason: "it does not answer") }
            if !hasAsked || unanswered > 0 { _ = connection.wait(nanoseconds: Int64(left * 1e6)) }
        }
        return listings
    }

    private func ask(_ connection: PulseConnection) {
        guard let context = connection.context else { return }
        let own = Unmanaged.passUnretained(self).toOpaque()
        let library = connection.library
        let questions = [
            library.pointee.pa_context_get_sink_info_list(
                context,
                { _, info, end, own in
                    PulseCatalogue.take(own, end, info?.pointee.name, info?.pointee.description, capture: false)
                }, own),
            library.pointee.pa_context_get_source_info_list(
                context,
                { _, info, end, own in
                    PulseCatalogue.take(own, end, info?.pointee.name, info?.pointee.description, capture: true)
                }, own),
        ]
        for case let question? in questions {
            unanswered += 1
            library.pointee.pa_operation_unref(question)
        }
    }

    /// One item of a list, or, where `end` is not 0, its end.
    private static func take(
        _ own: UnsafeMutableRawPointer?, _ end: Int32, _ name: UnsafePointer<CChar>?, _ description: UnsafePointer<CChar>?,
        capture: Bool
    ) {
        guard let own else { return }
        let catalogue = Unmanaged<PulseCatalogue>.fromOpaque(own).takeUnretainedValue()
        if end != 0 {
            catalogue.unanswered -= 1
            return
        }
        guard let name else { return }
        let works = DeviceListing.Direction(opens: true)
        catalogue.listings.append(
            DeviceListing(
                name: "pulse:" + String(cString: name), description: String(cString: description ?? name),
                capture: capture ? works : nil, playback: capture ? nil : works))
    }
}
