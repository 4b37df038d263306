import AudioUnits

extension DeviceListing {
    /// A device that `listDevices` may not list, such as `alsa:plug:null`: each direction is opened and closed again.
    ///
    /// - Parameter name: as a person writes it.
    public init(trying name: String) {
        func opened(capture: Bool) -> Direction {
            do throws(DeviceError) {
                let place = try DeviceSpecification(parsing: name)
                let device = try makeDevice(place, place)
                defer { device.close() }
                _ = try device.open(DeviceRequest(capture: capture, playback: !capture))
                return Direction(opens: true)
            } catch {
                return Direction(opens: false, reason: error.reason, remedy: error.remedy)
            }
        }
        self.init(name: name, description: name, capture: opened(capture: true), playback: opened(capture: false))
    }
}
