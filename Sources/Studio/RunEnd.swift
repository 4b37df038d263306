/// Why playing, recording or rendering ended.
enum RunEnd: String {
    case end, duration, stopped, failed
}
