import Logging

/// The program's log. Only a call's owner and its events thread write to it: render and media threads tell what
/// happens through mailboxes.
package let logger = Logger(label: "yodel")
