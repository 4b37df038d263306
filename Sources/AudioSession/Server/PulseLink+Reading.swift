import CPulse

extension PulseLink {
    /// Asks everything. Streams before devices: a stream is then never seen on a device that came after it was asked for,
    /// and so never taken for moved off a device that in truth has just gone.
    func startReading() {
        guard let context else { return }
        var snapshot = ServerSnapshot()
        snapshot.ownClient = library.pa_context_get_index(context)
        gathering = snapshot
        unanswered = 0
        ask(
            library.pa_context_get_sink_input_info_list(
                context,
                { _, info, end, link in
                    PulseLink.take(link, info, end) { $0.playing.append($1.stream($2.pointee)) }
                }, pointer))
        ask(
            library.pa_context_get_source_output_info_list(
                context,
                { _, info, end, link in
                    PulseLink.take(link, info, end) { $0.recording.append($1.stream($2.pointee)) }
                }, pointer))
        ask(
            library.pa_context_get_client_info_list(
                context,
                { _, info, end, link in
                    PulseLink.take(link, info, end) { $0.clients.append($1.client($2.pointee)) }
                }, pointer))
        ask(
            library.pa_context_get_sink_info_list(
                context,
                { _, info, end, link in
                    PulseLink.take(link, info, end) { $0.outputs.append($1.device($2.pointee)) }
                }, pointer))
        ask(
            library.pa_context_get_source_info_list(
                context,
                { _, info, end, link in
                    PulseLink.take(link, info, end) { $0.inputs.append($1.device($2.pointee)) }
                }, pointer))
        ask(
            library.pa_context_get_server_info(
                context,
                { _, info, link in
                    if let info, let link = link.map(PulseLink.from) {
                        link.gathering?.cookie = info.pointee.cookie
                        link.gathering?.defaultOutput = PulseLink.text(info.pointee.default_sink_name)
                        link.gathering?.defaultInput = PulseLink.text(info.pointee.default_source_name)
                    }
                    PulseLink.take(link, info, 1) { _, _, _ in }
                }, pointer))
    }

    private func ask(_ operation: OpaquePointer?) {
        guard let operation else { return }
        unanswered += 1
        library.pa_operation_unref(operation)
    }

    /// One item of a list, or its end (positive), or its failure (negative).
    private static func take<Info>(
        _ link: UnsafeMutableRawPointer?, _ info: UnsafePointer<Info>?, _ end: Int32,
        _ add: (inout ServerSnapshot, PulseLink, UnsafePointer<Info>) -> Void
    ) {
        guard let link = link.map(PulseLink.from) else { return }
        if end == 0, let info {
            if var snapshot = link.gathering {
                link.gathering = nil
                add(&snapshot, link, info)
                link.gathering = snapshot
            }
            return
        }
        link.unanswered -= 1
        if link.unanswered == 0 { link.finishReading() }
    }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    private func property(_ list: OpaquePointer?, _ key: String) -> String {
        list.map { Self.text(library.pa_proplist_gets($0, key)) } ?? ""
    }

    private static func volumes(_ volume: pa_cvolume) -> [UInt32] {
        withUnsafeBytes(of: volume.values) { bytes in
            Array(bytes.bindMemory(to: UInt32.self).prefix(Int(min(volume.channels, 32))))
        }
    }

    private func client(_ info: pa_client_info) -> ServerClient {
        func value(_ key: String) -> String { property(info.proplist, key) }
        let pid = value("application.process.id")
        let process = [
            pid, value("application.process.host"), value("application.process.binary"),
            value("application.process.machine_id"),
        ].joined(separator: "/")
        return ServerClient(
            index: info.index, process: process, pid: Int(pid) ?? 0, session: value(Self.markProperty))
    }

    private func stream(_ info: pa_sink_input_info) -> ServerStream {
        var stream = ServerStream(
            index: info.index, client: info.client == .max ? nil : info.client, device: info.sink,
            volumes: info.has_volume != 0 ? Self.volumes(info.volume) : [])
        stream.isMuted = info.mute != 0
        stream.volumeIsWritable = info.volume_writable != 0
        stream.role = property(info.proplist, "media.role")
        stream.restoreID = property(info.proplist, "module-stream-restore.id")
        stream.name = Self.text(info.name)
        return stream
    }

    private func stream(_ info: pa_source_output_info) -> ServerStream {
        ServerStream(
            index: info.index, client: info.client == .max ? nil : info.client, device: info.source, volumes: [])
    }

    private func device(_ info: pa_sink_info) -> ServerDevice {
        var device = ServerDevice(
            index: info.index, name: Self.text(info.name), description: Self.text(info.description),
            rate: Int(info.sample_spec.rate), channels: Int(info.sample_spec.channels))
        device.isMuted = info.mute != 0
        device.isAtZero = Self.volumes(info.volume).allSatisfy { $0 == 0 }
        device.isSuspended = info.state == PA_SINK_SUSPENDED
        describe(&device, info.proplist, isHardware: info.flags.rawValue & PA_SINK_HARDWARE.rawValue != 0)
        device.ports = Self.ports(info.ports, count: info.n_ports) { ($0.name, $0.description, $0.type, $0.available) }
        device.activePort = info.active_port.map { Self.text($0.pointee.name) }
        return device
    }

    private func device(_ info: pa_source_info) -> ServerDevice {
        var device = ServerDevice(
            index: info.index, name: Self.text(info.name), description: Self.text(info.description),
            rate: Int(info.sample_spec.rate), channels: Int(info.sample_spec.channels))
        device.isMuted = info.mute != 0
        device.isSuspended = info.state == PA_SOURCE_SUSPENDED
        device.isMonitor = info.monitor_of_sink != .max
        describe(&device, info.proplist, isHardware: info.flags.rawValue & PA_SOURCE_HARDWARE.rawValue != 0)
        device.ports = Self.ports(info.ports, count: info.n_ports) { ($0.name, $0.description, $0.type, $0.available) }
        device.activePort = info.active_port.map { Self.text($0.pointee.name) }
        return device
    }

    /// The ports of a device; those of sinks and of sources are C types of their own.
    /// - Parameter parts: name, description, type and availability of a port.
    private static func ports<Port>(
        _ list: UnsafeMutablePointer<UnsafeMutablePointer<Port>?>?, count: UInt32,
        _ parts: (Port) -> (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt32, CInt)
    ) -> [ServerDevice.Port] {
        var ports: [ServerDevice.Port] = []
        for index in 0..<Int(count) {
            guard let port = list?[index] else { break }
            let (name, description, type, available) = parts(port.pointee)
            ports.append(
                ServerDevice.Port(
                    name: text(name), description: text(description), type: type,
                    isUnplugged: available == PA_PORT_AVAILABLE_NO.rawValue))
        }
        return ports
    }

    private func describe(_ device: inout ServerDevice, _ properties: OpaquePointer?, isHardware: Bool) {
        device.formFactor = property(properties, "device.form_factor")
        device.bus = property(properties, "device.bus")
        if device.bus.isEmpty && !property(properties, "bluez.path").isEmpty { device.bus = "bluetooth" }
        device.isVirtual = !isHardware
    }
}
