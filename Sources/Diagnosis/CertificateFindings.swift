import Glibc
import NIOSSL

/// How long certificates are still good.
package enum CertificateFindings {
    private static let soonDays = 21

    /// - Parameters:
    ///   - file: PEM, of which each certificate is looked at.
    ///   - key: where it is configured.
    ///   - isAuthorities: each of them vouches alone, so that one that is good now is enough.
    ///   - now: seconds since 1970.
    package static func look(_ file: String, key: String, isAuthorities: Bool = false, now: Int) -> Finding {
        let subject = "certificate \(file)"
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(file) } catch {
            return Finding(subject, .configuration, .trouble, "it cannot be read as PEM", "name another file in \(key)")
        }
        guard let first = chain.map({ Int($0.notValidAfter) }).min() else {
            return Finding(subject, .configuration, .trouble, "there is none in it", "name another file in \(key)")
        }
        let good = chain.filter { Int($0.notValidBefore) <= now && Int($0.notValidAfter) > now }
        if isAuthorities, let last = good.map({ Int($0.notValidAfter) }).max() {
            var finding = judge(seconds: last - now, subject)
            if good.count < chain.count {
                finding.detail += " (not good now: \(chain.count - good.count) of \(chain.count))"
            }
            return finding
        }
        if let begins = chain.map({ Int($0.notValidBefore) }).max(), begins > now {
            return Finding(
                subject, .configuration, .trouble, "it is not good before \(days(begins - now)) days are over",
                "look at the machine's clock, or have it made anew")
        }
        return judge(seconds: first - now, subject)
    }

    package static func judge(seconds: Int, _ subject: String) -> Finding {
        let remedy = "have it made anew, and put the new one in its place"
        if seconds <= 0 {
            return Finding(subject, .configuration, .trouble, "it expired \(days(-seconds)) days ago", remedy)
        }
        let left = "\(days(seconds)) days left"
        return days(seconds) < soonDays
            ? Finding(subject, .configuration, .advice, left, remedy) : .fine(subject, .configuration, left)
    }

    private static func days(_ seconds: Int) -> Int { seconds / 86_400 }
}
