/// What a session is for. The table of group CAT: one row a category, read by every rule that asks about categories.
public enum Category: String, Hashable, Sendable, Codable, CaseIterable {
    case ambient, soloAmbient, playback, record, playAndRecord, audioProcessing, multiRoute

    /// Whether others may sound beside it.
    public enum Mixing: Hashable, Sendable {
        case always, byOption, never
    }

    /// A row of the table.
    public struct Traits: Hashable, Sendable {
        /// Silenced by the silent switch and the screen lock (VOL-2, BG-2).
        public var obeysSilentSwitch: Bool
        public var mixing: Mixing
        public var hasInput: Bool
        public var hasOutput: Bool
    }

    /// Keeps the table of group CAT.
    public var traits: Traits {
        switch self {
        case .ambient: Traits(obeysSilentSwitch: true, mixing: .always, hasInput: false, hasOutput: true)
        case .soloAmbient: Traits(obeysSilentSwitch: true, mixing: .never, hasInput: false, hasOutput: true)
        case .playback: Traits(obeysSilentSwitch: false, mixing: .byOption, hasInput: false, hasOutput: true)
        case .record: Traits(obeysSilentSwitch: false, mixing: .never, hasInput: true, hasOutput: false)
        case .playAndRecord: Traits(obeysSilentSwitch: false, mixing: .byOption, hasInput: true, hasOutput: true)
        case .audioProcessing: Traits(obeysSilentSwitch: false, mixing: .never, hasInput: false, hasOutput: false)
        case .multiRoute: Traits(obeysSilentSwitch: false, mixing: .byOption, hasInput: true, hasOutput: true)
        }
    }

    /// The categories that hardware with or without an input can serve (keeps CAT-7). Those that merely *can* use an input
    /// (multiRoute, through one input port) need none.
    public static func available(hasInput: Bool) -> [Category] {
        allCases.filter { hasInput || !($0 == .record || $0 == .playAndRecord) }
    }
}
