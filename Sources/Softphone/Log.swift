import Logging

/// The program's log. Only the thread that owns a call writes to it: render and media threads tell what happens through mailboxes.
package let logger = Logger(label: "yodel")
