/// What the program wants of a session; may be set at any time.
package struct SessionSettings: Sendable, Equatable {
    package var category = SessionCategory.soloAmbient
    package var options: SessionOptions = []
    /// How much others are lowered, in dB.
    package var duckingDecibels = -20.0
    /// Ids of ports, or names of the server's devices; `nil` leaves the choice to the server.
    package var preferredOutput: String?
    package var preferredInput: String?
    package var overridesToSpeaker = false
    package var silentSwitch = false

    package init() {}

    package var effect: CategoryEffect { CategoryEffect(category, options) }
}
