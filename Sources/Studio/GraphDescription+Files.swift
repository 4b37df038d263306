import Settings
import Softphone

/// The files of a graph that is rendered.
extension GraphDescription {
    /// Reads and checks the file at `path`; what is wrong is told of a graph, not of a configuration.
    package init(rendering path: String) throws(SettingsError) {
        do { self = try GraphDescription(path: path) } catch {
            switch error {
            case .unreadableFile(let path, let reason): throw .unreadableGraph(path: path, reason: reason)
            case .malformedFile(let path, let line, let reason):
                throw .malformedGraph(path: path, line: line, reason: reason)
            default: throw error
            }
        }
    }

    /// Throws where the sound would be written over one of the graph's own files.
    /// - Parameters:
    ///   - name: what names the target.
    ///   - device: plays the graph; `nil`: nothing does.
    package func checkFiles(target name: String, on device: DeviceChoice?) throws(SoftphoneError) {
        let players = units.flatMap { unit in unit.files.map { NamedFile("unit '\(unit.name)'", $0.text) } }
        try PathCheck.distinct(
            written: (target.map { [NamedFile(name, $0)] } ?? []) + (device?.filesWritten ?? []),
            read: players + [NamedFile("the graph itself", path)])
    }
}
