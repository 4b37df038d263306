import Link
import LiveMedia
import Realtime
import SecureRTP

/// Keys of a simulated call, made of its seed: two runs encrypt alike, and nobody is kept out. Nothing but a simulation takes them.
enum SimulatedKeys {
    /// Encrypts what side `side`, 0 or 1, sends over `link`.
    static func protect(_ link: any PacketLink, side: Int, seed: UInt64) throws(CallError) -> SRTPLink {
        let keys = (0..<2).map { sender in
            var random = SplitMix64(seed: seed, purpose: 0x5352_5450 &+ UInt64(sender))
            return SRTPMasterKey(suite: .aeadAES128GCM, random: &random)
        }
        let encrypted = SRTPLink(over: link)
        do throws(SRTPError) {
            try encrypted.setKeys(SRTPKeys(outbound: keys[side], inbound: keys[1 - side]))
        } catch {
            throw .encryption("\(error)")
        }
        return encrypted
    }
}
