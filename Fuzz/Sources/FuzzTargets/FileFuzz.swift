import AudioFiles
import LiveMedia
import Media
import Codecs
import PacketCapture
import Settings
import Simulation

/// A capture file, looked through and replayed as `yodel replay --pcap` does.
enum CaptureFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        withFile(input) { path in
            guard let streams = try? CaptureStreams(path: path), let reader = try? CaptureReader(path: path) else { return }
            let stream = streams.streams.first
            let kind: Codec =
                switch stream?.payloadType {
                case 0: .pcmu
                case 8: .pcma
                default: .opus
                }
            var configuration = CallConfiguration(codec: kind, seed: 1)
            configuration.payloadType = stream?.payloadType ?? configuration.payloadType
            guard let replay = try? CaptureReplay(reader, ssrc: nil, configuration: configuration) else { return }
            try? replay.run()
            precondition(replay.heard.allSatisfy(\.isFinite), "what is heard is a number")
            _ = replay.figures
        }
    }
}

/// A configuration file, and a graph.
enum SettingsFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        _ = try? ConfigurationFile(path: "fuzz.yaml", text: text)
        _ = try? GraphDescription(path: "fuzz.yaml", text: text)
    }
}

/// The header of an audio file decides how it is read; a second of it is.
enum AudioFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        withFile(input) { path in
            for rate in [nil, 16_000] {
                guard let reader = try? AudioFileReader(path: path, rate: rate, channels: rate == nil ? nil : 1) else {
                    continue
                }
                _ = reader.read(maximumFrames: 20_000)
                reader.seek(toSeconds: 1)
                _ = reader.read(maximumFrames: 20_000)
                reader.seek(toSeconds: 0)
                _ = reader.read(maximumFrames: 100)
            }
        }
    }
}

/// What a person writes on the command line.
enum TextFuzz {
    static func run(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        // A trace is named by a path; those of this machine are none of ours.
        if !text.contains("trace") { _ = try? NetworkConditions(parsing: text) }
        _ = try? NetworkTrace(csv: text)
        _ = try? CallURI(parsing: text, role: .call)
        _ = try? CallURI(parsing: text, role: .listen)
    }
}
