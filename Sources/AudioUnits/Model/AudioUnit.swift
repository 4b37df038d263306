/// What every unit has: a description, formats, a slice limit and a life cycle.
///
/// Order: instantiate, configure, `initialize()`, use, `uninitialize()`, `dispose()`. Calls out of order throw an error
/// that says what is missing; `uninitialize()` and `dispose()` may be repeated. All of it from any thread but a render
/// thread.
public protocol AudioUnit: AnyObject, Sendable {
    /// The component this is an instance of.
    var component: AudioComponentDescription { get }
    /// Where the unit is in its life.
    var state: UnitState { get }
    /// Sets the format the application sees; before `initialize()`.
    func setFormat(_ format: StreamFormat, scope: Scope, element: Int) throws(AudioUnitError)
    /// The format of one side of an element; a hardware side is known once initialized.
    func format(scope: Scope, element: Int) throws(AudioUnitError) -> StreamFormat
    /// The most frames one slice carries, 1024 by default; of a unit with hardware, where none was set, what a block of the device makes
    /// if that is more, once initialized.
    var maximumFramesPerSlice: Int { get }
    /// Sets the most frames one slice carries, 1 ... 65,536; before `initialize()`.
    func setMaximumFramesPerSlice(_ frames: Int) throws(AudioUnitError)
    /// Allocates everything the unit will ever need.
    func initialize() throws(AudioUnitError)
    /// Frees what `initialize()` took; stops first when running.
    func uninitialize()
    /// Ends the unit: stops, uninitializes, gives the device back. Nothing but repeated `dispose()` is allowed after.
    func dispose()
}
