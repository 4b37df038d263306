/// Which side of an element is meant.
public enum Scope: Sendable, Equatable, CaseIterable {
    /// Where audio enters the element.
    case input
    /// Where audio leaves the element.
    case output
}

/// The elements of an I/O unit.
///
/// The hardware is on the input scope of `input` and on the output scope of `output`; the application has the others.
public enum Element {
    /// To the loudspeaker; enabled by default.
    public static var output: Int { @_noLocks get { 0 } }
    /// From the microphone; disabled by default.
    public static var input: Int { @_noLocks get { 1 } }
}

/// Where a unit is in its life.
public enum UnitState: Sendable, Equatable {
    /// Settings may be changed.
    case uninitialized
    /// Everything is allocated; settings are fixed.
    case initialized
    /// Callbacks are being called.
    case running
    /// Of no further use.
    case disposed
}
