/// All that the sound server said at one moment, as plain values.
package struct ServerSnapshot: Sendable, Equatable {
    /// Names this run of the server.
    package var cookie: UInt32 = 0
    package var defaultOutput = ""
    package var defaultInput = ""
    package var outputs: [ServerDevice] = []
    package var inputs: [ServerDevice] = []
    /// Streams that play, of whichever program.
    package var playing: [ServerStream] = []
    package var recording: [ServerStream] = []
    package var clients: [ServerClient] = []
    /// Our own connection.
    package var ownClient: UInt32?

    package init() {}
}

/// A sink or a source.
package struct ServerDevice: Sendable, Equatable {
    package struct Port: Sendable, Equatable {
        package var name: String
        package var description: String
        /// `PA_DEVICE_PORT_TYPE_...`, 0 when unknown.
        package var type: UInt32
        package var isUnplugged: Bool

        package init(name: String, description: String, type: UInt32 = 0, isUnplugged: Bool = false) {
            (self.name, self.description, self.type, self.isUnplugged) = (name, description, type, isUnplugged)
        }
    }

    package var index: UInt32
    package var name: String
    package var description: String
    package var rate: Int
    package var channels: Int
    package var isMuted = false
    package var isAtZero = false
    package var isSuspended = false
    /// A source that hears what a sink plays.
    package var isMonitor = false
    /// `device.form_factor`, `device.bus`, `device.class` and the like.
    package var formFactor = ""
    package var bus = ""
    package var isVirtual = false
    package var ports: [Port] = []
    package var activePort: String?

    package init(index: UInt32, name: String, description: String = "", rate: Int = 48_000, channels: Int = 2) {
        (self.index, self.name, self.rate, self.channels) = (index, name, rate, channels)
        self.description = description.isEmpty ? name : description
    }
}

/// A program's connection to the server.
package struct ServerClient: Sendable, Equatable {
    package var index: UInt32
    /// Process, host and program: equal for two connections of one process, different for processes of two containers.
    package var process: String
    package var pid: Int
    /// What another session of this library says it does to others; empty for anybody else.
    package var session: String

    package init(index: UInt32, process: String, pid: Int = 0, session: String = "") {
        (self.index, self.process, self.pid, self.session) = (index, process, pid, session)
    }
}

/// A sink input or a source output.
package struct ServerStream: Sendable, Equatable {
    package var index: UInt32
    /// `nil` for streams that belong to the server's own modules.
    package var client: UInt32?
    /// The device it is on.
    package var device: UInt32
    /// Per channel, 65536 is unchanged.
    package var volumes: [UInt32] = []
    package var isMuted = false
    package var volumeIsWritable = true
    package var role = ""
    /// What the server remembers the volume of such streams by; empty when it does not.
    package var restoreID = ""
    package var name = ""

    package init(index: UInt32, client: UInt32?, device: UInt32, volumes: [UInt32] = [65_536, 65_536]) {
        (self.index, self.client, self.device, self.volumes) = (index, client, device, volumes)
    }
}

extension ServerSnapshot {
    /// Changes that were sent and not yet confirmed count as done: what differs from them later is somebody else's doing.
    package mutating func expect(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .setVolume(let stream, let volumes):
                for index in playing.indices where playing[index].index == stream { playing[index].volumes = volumes }
            case .setMute(let stream, let muted):
                for index in playing.indices where playing[index].index == stream { playing[index].isMuted = muted }
            default: break
            }
        }
    }
}
