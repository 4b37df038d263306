import Testing

/// Races and timers of RFC 3261 section 17, 5407, 6026, 3262, 4028 and 3515 in virtual time: one behaviour a file.
/// docs/sip-scenarios.md is the list, with those that stand beside the parts that they belong to.
@Suite("Scenarios in virtual time") struct Scenarios {}
