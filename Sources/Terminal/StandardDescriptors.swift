import Glibc

/// Standard input, output and error as whoever started the program left them.
package enum StandardDescriptors {
    /// Opens those that are closed on `/dev/null`. What the program opened next would else be one of them: its events would go into a
    /// socket or a file of its own, or be read as signals. To be called before anything is opened.
    package static func openClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one: those below are open.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
