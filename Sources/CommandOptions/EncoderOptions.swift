import Settings

/// The media keys of who only sends, all the time and without copies, and has no jitter buffer: a load.
package enum EncoderOptions: KeySelection {
    package static var options: [KeyOption] {
        let keys = MediaKeys()
        return [KeyOption(keys.codec), KeyOption(keys.bitrate), KeyOption(keys.complexity), KeyOption(keys.ptime)]
    }
}
