import Logging

/// The service's log; what calls tell goes to the events.
let logger = Logger(label: "yodel.service")
