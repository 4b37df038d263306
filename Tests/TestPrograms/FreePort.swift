/// A port of this machine's loopback that nobody has by UDP or by TCP, or had a moment ago.
///
/// What is free by UDP alone may still linger by TCP, for a minute after a connection there (TIME_WAIT).
public func freePort() throws -> UInt16 {
    for _ in 0..<100 {
        let streams = try LoopbackSocket(.streams)
        if (try? LoopbackSocket(.datagrams, at: streams.port)) != nil { return streams.port }
    }
    throw LoopbackSocket.NotBound()
}
