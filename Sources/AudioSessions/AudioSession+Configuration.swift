internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Category, mode and options (groups CAT, MODE and OPT).
extension AudioSession {
    /// The purpose of the app's sound; readable at any time (CAT-6).
    public var category: Category { Category(configuration.category) }
    /// The specific use of the category.
    public var mode: Mode { Mode(configuration.mode) }
    /// The options in effect, including those that the mode or another option implies (MODE-3).
    public var categoryOptions: CategoryOptions { configuration.options }
    /// Whether the route is shared with other long-form audio.
    public var routeSharingPolicy: RouteSharingPolicy { configuration.routeSharingPolicy }

    /// Sets the category, and resets the options and the route sharing policy. A mode that the
    /// category does not allow is reset to default (keeps CAT-6, MODE-2).
    public func setCategory(_ category: Category) throws { try setCategory(category, options: []) }

    /// Sets the category and options, and resets the route sharing policy. A mode that the category
    /// does not allow is reset to default (keeps MODE-2). Throws badParam for options that the
    /// category and mode do not allow (keeps OPT-3).
    public func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try configure(category, nil, .default, options)
    }

    /// Sets category, mode and options in one call. Throws badParam for a combination that is not
    /// allowed (keeps MODE-1, OPT-3). While the session is active, the arbiter treats the change
    /// like an activation: the call may interrupt other sessions, and it may be refused for the
    /// same reasons (CAT-3).
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try configure(category, mode, .default, options)
    }

    /// Sets category, mode, route sharing policy and options in one call. Long-form policies
    /// require playback in a mode other than shortFormVideo, and apps cannot set `independent`;
    /// otherwise throws badParam (ROUTE-10).
    public func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        try configure(category, mode, policy, options)
    }

    /// Sets the mode and keeps category and options. Throws badParam if the category or an option
    /// does not allow the mode (keeps MODE-1).
    public func setMode(_ mode: Mode) throws {
        let mode = try request(mode.known)
        try submit { .configure($0, .mode(mode)) }
        registered.applyMode()
        host.applyRouteAsync(of: registered)
    }

    /// The categories that the current hardware supports (keeps CAT-7).
    public var availableCategories: [Category] {
        SessionPolicy.Category.available(hasInput: isInputAvailable).map { Category($0) }
    }

    /// The modes that the current hardware supports (keeps CAT-7).
    public var availableModes: [Mode] {
        SessionPolicy.Mode.available(hasInput: isInputAvailable).map { Mode($0) }
    }

    /// Whether the app has muted this session's output.
    public var isOutputMuted: Bool { status?.session.isOutputMuted ?? false }

    /// Mutes or unmutes this session's output and notifies the app; players continue to run. With
    /// playAndRecord, muting throws badParam in modes other than default (keeps VOL-3).
    public func setOutputMuted(_ muted: Bool) throws { try submit { .setOutputMuted($0, muted) } }

    /// Whether a ringing call interrupts this session only once it is accepted; false by default.
    public var prefersNoInterruptionsFromSystemAlerts: Bool {
        status?.session.prefersNoInterruptionsFromSystemAlerts ?? false
    }

    /// Requests that a ringing call not interrupt this session until the call is accepted (keeps
    /// INT-6).
    public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        try submit { .preferNoInterruptionsFromSystemAlerts($0, inValue) }
    }

    /// Whether this session lowers others only while it is audible; false by default: it lowers
    /// them as long as it is active.
    public var ducksOnlyWhileAudible: Bool { status?.session.ducksOnlyWhileAudible ?? false }

    /// Makes this session lower others only while it is audible, instead of as long as it is active
    /// (DUCK-2): for navigation, an assistant or a chat whose session stays active between its
    /// utterances. It takes effect while the session has option duckOthers or
    /// interruptSpokenAudioAndMixWithOthers, and keeps it until it is set to false.
    ///
    /// The session is audible from the first sample of its bus above the arbiter's setting
    /// `duck.audible-threshold` (-50 dBFS by default) until none has been for `duck.audible-hold`
    /// (0.8 s), except while it is paused or muted. Its own attenuation does not count. Other
    /// sessions begin to be lowered at most one period after that sample. Sound that does not pass
    /// through the session's bus is not detected.
    ///
    /// Blocks until the arbiter has decided. Throws if it cannot be reached.
    public func setDucksOnlyWhileAudible(_ inValue: Bool) throws {
        try submit { .setDucksOnlyWhileAudible($0, inValue) }
        participants.reportAudible()
    }

    private func configure(
        _ category: Category, _ mode: Mode?, _ policy: RouteSharingPolicy, _ options: CategoryOptions
    ) throws {
        let category = try request(category.known)
        let mode = try mode.map { try request($0.known) }
        let change = ConfigurationChange.category(
            category, mode: mode, options: options, routeSharingPolicy: policy)
        try submit { .configure($0, change) }
        registered.applyMode()
        host.applyRouteAsync(of: registered)
    }
}
