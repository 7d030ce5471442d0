internal import Foundation
internal import Glibc

/// Why a disk did not take what was written to it, and what to do.
struct DiskFailure: CustomStringConvertible {
    let description: String

    /// `code` is the value of errno after the call that failed; 0: not known, because libsndfile's
    /// encoders do not pass it on. Then a disk without room is the reason. Returns nil for other
    /// reasons.
    init?(code: Int32, of descriptor: Int32) {
        var facts = statvfs()
        let isKnown = fstatvfs(descriptor, &facts) == 0
        let free = isKnown ? Int(clamping: UInt64(facts.f_bavail) * UInt64(facts.f_frsize)) : nil
        let isFull = free.map { $0 < Self.leastRoom } ?? false
        guard let reason = code != 0 ? code : isFull ? ENOSPC : nil else { return nil }
        let text = String(cString: strerror(reason))
        switch reason {
        case ENOSPC, EDQUOT:
            description =
                text + (free.map { ", \($0) bytes are free" } ?? "") + "; free some space, or use another disk"
        case EFBIG: description = text + "; raise the limit (ulimit -f), or use a file system without it"
        default: description = text + "; check the disk"
        }
    }

    /// A disk with less room, in bytes, is full: an encoder writes blocks of about this size.
    private static let leastRoom = 65_536
}
