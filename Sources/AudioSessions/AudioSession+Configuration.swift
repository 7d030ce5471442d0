internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// Category, mode and options: groups CAT, MODE and OPT.
extension AudioSession {
    /// What the app's sound is for; readable at any time (CAT-6).
    public var category: Category { Category(configuration.category) }
    /// A shade of the category.
    public var mode: Mode { Mode(configuration.mode) }
    /// The options in force, those that the mode or another option implies included (MODE-3).
    public var categoryOptions: CategoryOptions { CategoryOptions(rawValue: configuration.options.rawValue) }
    /// Whether the route is shared with other long programmes.
    public var routeSharingPolicy: RouteSharingPolicy {
        RouteSharingPolicy(rawValue: configuration.routeSharingPolicy.rawValue) ?? .default
    }

    /// Sets the category and clears the options; a mode that does not suit becomes default (keeps CAT-6, MODE-2).
    public func setCategory(_ category: Category) throws { try setCategory(category, options: []) }

    /// Sets the category and options; a mode that does not suit becomes default (keeps MODE-2, OPT-3).
    public func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try configure(category, nil, .default, options)
    }

    /// Sets all three at once (keeps MODE-1, OPT-3). While active the change is arbitrated like an activation (CAT-3).
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try configure(category, mode, .default, options)
    }

    /// Sets all four at once; long-form policies go with playback only (ROUTE-10).
    public func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        try configure(category, mode, policy, options)
    }

    /// Sets the mode; category and options stay (keeps MODE-1).
    public func setMode(_ mode: Mode) throws {
        let mode = try request(mode.known)
        try submit { .configure($0, .mode(mode)) }
        followMode()
        host.patchLater(self)
    }

    /// The categories that today's hardware can serve (keeps CAT-7).
    public var availableCategories: [Category] {
        SessionPolicy.Category.available(hasInput: isInputAvailable).map { Category($0) }
    }

    /// The modes that today's hardware can serve (keeps CAT-7).
    public var availableModes: [Mode] {
        SessionPolicy.Mode.available(hasInput: isInputAvailable).map { Mode($0) }
    }

    /// Whether the app muted this session's output.
    public var isOutputMuted: Bool { status?.session.isOutputMuted ?? false }

    /// Mutes this session's output, and notifies; players run on (keeps VOL-3).
    public func setOutputMuted(_ muted: Bool) throws { try submit { .setOutputMuted($0, muted) } }

    /// Whether ringing leaves this session alone until the call is accepted.
    public var prefersNoInterruptionsFromSystemAlerts: Bool {
        status?.session.prefersNoInterruptionsFromSystemAlerts ?? false
    }

    /// Asks that ringing leave this session alone until the call is accepted (keeps INT-6).
    public func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws {
        try submit { .preferNoInterruptionsFromSystemAlerts($0, inValue) }
    }

    private func configure(
        _ category: Category, _ mode: Mode?, _ policy: RouteSharingPolicy, _ options: CategoryOptions
    ) throws {
        let category = try request(category.known)
        let mode = try mode.map { try request($0.known) }
        let change = ConfigurationChange.category(
            category, mode: mode, options: .init(rawValue: options.rawValue),
            routeSharingPolicy: .init(rawValue: policy.rawValue) ?? .default)
        try submit { .configure($0, change) }
        followMode()
        host.patchLater(self)
    }

    /// In mode measurement nothing of ours changes the sound: where it goes, no output is limited. Without memory, or room for a command, it stays as it
    /// was, and the next notice tries again.
    func followMode() {
        guard case .success(let connection) = connection else { return }
        modeTurn.withLock { _ in
            let isAllowed = configuration.mode.allowsProcessing
            for bus in connection.buses { try? bus.setAllowsLimiting(isAllowed) }
        }
    }
}
