/// The user's answer to an app that requests permission to record (PERM-2). The raw values are
/// those of AVAudioApplication.
public enum RecordPermission: Int, Hashable, Sendable, Codable, CaseIterable {
    case undetermined = 0x756e_6474
    case denied = 0x6465_6e79
    case granted = 0x6772_6e74
}
