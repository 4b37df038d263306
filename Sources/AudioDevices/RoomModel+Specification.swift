import AudioFiles
import AudioUnits
import Glibc

extension RoomModel {
    /// Longest recorded impulse response, in seconds.
    static let responseSeconds = 10.0

    /// The room that a person wrote down; reads its files.
    convenience init(
        _ specification: RoomSpecification, sampleRate: Int, blockFrames: Int, _ options: DeviceOptions
    ) throws(DeviceError) {
        var response: [Float]
        switch specification.response {
        case .builtIn(let room):
            response = RoomResponse.samples(room, sampleRate: sampleRate, seed: options.seed)
        case .file(let path):
            let reader = try withDeviceFile { () throws(AudioFileError) in
                try AudioFileReader(path: path, rate: sampleRate, isWanted: options.isWanted)
            }
            response = reader.read(maximumFrames: Int(Self.responseSeconds * Double(sampleRate)))
            if response.isEmpty { throw .file(path: path, reason: "it holds no samples") }
            // an impulse response is a density in time: more samples a second, less in each
            let scale = Float(reader.fileRate) / Float(sampleRate)
            for index in response.indices { response[index] *= scale }
        }
        let gain = Float(pow(10, specification.echoDecibels / 20))
        if gain != 1 { for index in response.indices { response[index] *= gain } }
        var parameters = Parameters(sampleRate: sampleRate, blockFrames: blockFrames, impulseResponse: response)
        parameters.driftPPM = specification.driftPPM
        parameters.delayMilliseconds = specification.delayMilliseconds
        parameters.noiseDecibels = specification.noiseDecibels
        parameters.seed = options.seed &+ 1
        parameters.nearEnd = options.nearEnd
        if let path = specification.nearPath {
            parameters.nearEnd = try withDeviceFile { () throws(AudioFileError) in
                try AudioFileReader.samples(
                    path: path, rate: sampleRate, maximumSeconds: 600, isWanted: options.isWanted)
            }
            if parameters.nearEnd.isEmpty { throw .file(path: path, reason: "it holds no samples") }
        }
        try self.init(parameters)
    }
}
