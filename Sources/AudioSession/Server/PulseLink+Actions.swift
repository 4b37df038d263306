import CPulse

extension PulseLink {
    /// Sends one action; `nil` for those that are not the server's.
    func perform(
        _ action: SessionAction, _ context: OpaquePointer, _ done: @escaping pa_context_success_cb_t,
        _ pointer: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        switch action {
        case .setVolume(let stream, let volumes):
            var volume = Self.volume(volumes)
            return library.pa_context_set_sink_input_volume(context, stream, &volume, done, pointer)
        case .setMute(let stream, let muted):
            return library.pa_context_set_sink_input_mute(context, stream, muted ? 1 : 0, done, pointer)
        case .moveOutput(let stream, let device):
            return library.pa_context_move_sink_input_by_index(context, stream, device, done, pointer)
        case .moveInput(let stream, let device):
            return library.pa_context_move_source_output_by_index(context, stream, device, done, pointer)
        case .selectPort(let device, let port):
            return library.pa_context_set_sink_port_by_name(context, String(device), port, done, pointer)
        case .rememberVolume(let restoreID, let volumes):
            return restoreID.withCString { name in
                var info = pa_ext_stream_restore_info()
                info.name = name
                info.volume = Self.volume(volumes)
                _ = library.pa_channel_map_init_extend(&info.channel_map, UInt32(volumes.count), PA_CHANNEL_MAP_DEFAULT)
                return library.pa_ext_stream_restore_write(context, PA_UPDATE_REPLACE, &info, 1, 1, done, pointer)
            }
        case .save, .interrupt, .endInterruption, .retryDevices, .tell: return nil
        }
    }

    /// Tells other sessions what we do to them.
    func tell(
        mark: String, _ context: OpaquePointer, _ done: @escaping pa_context_success_cb_t,
        _ pointer: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        let properties = library.pa_proplist_new()
        defer { library.pa_proplist_free(properties) }
        _ = library.pa_proplist_sets(properties, Self.markProperty, mark)
        return library.pa_context_proplist_update(context, PA_UPDATE_REPLACE, properties, done, pointer)
    }

    private static func volume(_ volumes: [UInt32]) -> pa_cvolume {
        var volume = pa_cvolume()
        volume.channels = UInt8(min(volumes.count, 32))
        withUnsafeMutableBytes(of: &volume.values) { bytes in
            let values = bytes.bindMemory(to: UInt32.self)
            for (index, value) in volumes.prefix(32).enumerated() { values[index] = value }
        }
        return volume
    }
}
