/// The table of group CAT: one row for each category, read by every rule that depends on the
/// category.
extension Category {
    /// Whether other sessions may play at the same time.
    public enum Mixing: Hashable, Sendable {
        case always, byOption, never
    }

    /// A row of the table.
    public struct Traits: Hashable, Sendable {
        /// Whether the silent switch mutes the session (VOL-2). `mayRunInBackground` decides about
        /// the screen lock (BG-2).
        public var obeysSilentSwitch: Bool
        public var mixing: Mixing
        public var hasInput: Bool
        public var hasOutput: Bool
    }

    /// The row of this category in the table of group CAT.
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

    /// Whether the category cannot be used without an input; multiRoute can (ROUTE-9, CAT-7).
    var requiresInput: Bool { self == .record || self == .playAndRecord }

    /// Returns the categories that hardware with or without an input supports (keeps CAT-7). record
    /// and playAndRecord require an input; multiRoute can use one, but does not require it.
    public static func available(hasInput: Bool) -> [Category] {
        allCases.filter { hasInput || !($0 == .record || $0 == .playAndRecord) }
    }

    /// Whether an app that declares background audio may be active with this category in the
    /// background (BG-1).
    public var mayRunInBackground: Bool {
        switch self {
        case .playback, .playAndRecord, .record, .multiRoute: true
        case .ambient, .soloAmbient, .audioProcessing: false
        }
    }
}
