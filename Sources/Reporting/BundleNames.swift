/// What the files of a call's bundle are called (docs/bundle.md): whoever makes one and whoever reads one agree here.
public enum BundleNames {
    /// What the bundle is: an object with `call_id`, `sound`, `state` and `captures`.
    public static let manifest = "bundle.json"
    /// The call's report, or its figures as they were.
    public static let figures = "figures.json"
    /// The call's messages by SIP.
    public static let messages = "sip.json"

    /// A capture of the call's media.
    /// - Parameter number: of the stretch, from 1 on.
    /// - Returns: the file's name.
    public static func capture(_ number: Int) -> String { "media-\(number).pcapng" }
}
