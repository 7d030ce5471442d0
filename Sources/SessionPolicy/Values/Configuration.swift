/// The category, mode, options and route sharing policy of a session. The policy stores only valid
/// combinations.
public struct Configuration: Hashable, Sendable, Codable {
    public var category: Category
    public var mode: Mode
    /// The options that the app requested, without those that they imply. An implied option is
    /// cleared together with the option that implies it.
    public var requestedOptions: CategoryOptions
    public var routeSharingPolicy: RouteSharingPolicy

    /// Creates the configuration of a new session: soloAmbient, default mode, no options
    /// (keeps CAT-1).
    public init(
        category: Category = .soloAmbient, mode: Mode = .default, requestedOptions: CategoryOptions = [],
        routeSharingPolicy: RouteSharingPolicy = .default
    ) {
        self.category = category
        self.mode = mode
        self.requestedOptions = requestedOptions
        self.routeSharingPolicy = routeSharingPolicy
    }

    /// The options in effect: the requested ones, and those that the options and the mode imply
    /// (keeps MODE-3).
    ///
    /// Properties that a *category* has without an option are not included (ambient mixes;
    /// categories without input allow A2DP and AirPlay, OPT-2): the corresponding options cannot be
    /// set with that category, and `setCategory(c, options: categoryOptions)` must stay valid.
    public var options: CategoryOptions {
        requestedOptions.union(requestedOptions.implied).union(mode.impliedOptions)
    }

    /// Returns whether other sessions may play at the same time. `outputMuted` matters only in mode
    /// shortFormVideo (table of group MODE).
    public func isMixable(outputMuted: Bool) -> Bool {
        switch category.traits.mixing {
        case .always: true
        case .never: false
        case .byOption: options.contains(.mixWithOthers) || (mode == .shortFormVideo && outputMuted)
        }
    }

    public var ducksOthers: Bool { options.contains(.duckOthers) }
    public var interruptsSpokenAudio: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }

    /// Whether the session lowers others, or only those in mode spokenAudio (DUCK-1, DUCK-4).
    public var mayDuck: Bool { ducksOthers || interruptsSpokenAudio }

    /// Whether the session may use AirPlay, A2DP and Bluetooth LE outputs without an option, as
    /// categories without input may. An HFP output always requires allowBluetoothHFP (OPT-2,
    /// ROUTE-7).
    public var impliesWirelessOutput: Bool { category.traits.hasOutput && !category.traits.hasInput }
}

/// A change of its configuration that an app requests.
public enum ConfigurationChange: Hashable, Sendable, Codable {
    /// Sets the category. Options that are not named are cleared (CAT-6). If no mode is named, the
    /// current mode is kept if the category allows it (MODE-2).
    case category(
        Category, mode: Mode? = nil, options: CategoryOptions = [], routeSharingPolicy: RouteSharingPolicy = .default)
    /// Sets the mode, and keeps the category, the requested options and the policy.
    case mode(Mode)
}
