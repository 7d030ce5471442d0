/// Category, mode and options of a session, always a suited combination.
public struct Configuration: Hashable, Sendable, Codable {
    public var category: Category
    public var mode: Mode
    /// What the app asked for, without what that implies: an implication ends with what implied it.
    public var requestedOptions: CategoryOptions
    public var routeSharingPolicy: RouteSharingPolicy

    /// A new session is soloAmbient, default mode, without options (keeps CAT-1).
    public init(
        category: Category = .soloAmbient, mode: Mode = .default, requestedOptions: CategoryOptions = [],
        routeSharingPolicy: RouteSharingPolicy = .default
    ) {
        self.category = category
        self.mode = mode
        self.requestedOptions = requestedOptions
        self.routeSharingPolicy = routeSharingPolicy
    }

    /// The options in force: those asked for, and those that the options and the mode imply (keeps MODE-3).
    ///
    /// What a *category* implies (ambient mixes; output-only categories reach A2DP and AirPlay, OPT-2) is not listed: it cannot be
    /// set there, and `setCategory(c, options: categoryOptions)` must stay valid.
    public var options: CategoryOptions {
        requestedOptions.union(requestedOptions.implied).union(mode.impliedOptions)
    }

    /// Whether others sound beside it; `outputMuted` counts for shortFormVideo only (table of group MODE).
    public func isMixable(outputMuted: Bool) -> Bool {
        switch category.traits.mixing {
        case .always: true
        case .never: false
        case .byOption: options.contains(.mixWithOthers) || (mode == .shortFormVideo && outputMuted)
        }
    }

    public var ducksOthers: Bool { options.contains(.duckOthers) }
    public var interruptsSpokenAudio: Bool { options.contains(.interruptSpokenAudioAndMixWithOthers) }

    /// Network and Bluetooth outputs without an option: output-only categories (OPT-2, ROUTE-7).
    public var impliesWirelessOutput: Bool { category.traits.hasOutput && !category.traits.hasInput }
}

/// What an app asks to change of its configuration.
public enum ConfigurationChange: Hashable, Sendable, Codable {
    /// Options not named are cleared (CAT-6); without a mode the present one stays if it suits (MODE-2).
    case category(
        Category, mode: Mode? = nil, options: CategoryOptions = [], routeSharingPolicy: RouteSharingPolicy = .default)
    /// Category and requested options stay.
    case mode(Mode)
}
