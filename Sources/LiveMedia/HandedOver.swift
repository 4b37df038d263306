/// What its owner leaves for another thread.
///
/// Sendable: its owner has let go of it, and the other thread has not taken it yet; only one of them has it.
struct HandedOver<Value>: @unchecked Sendable {
    let value: Value
}
