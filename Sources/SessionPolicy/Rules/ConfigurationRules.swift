extension Configuration {
    /// Returns the configuration after a change. Throws if the combination is not allowed; the
    /// error names what is allowed (keeps CAT-6, MODE-1, MODE-2, OPT-3).
    func applying(_ change: ConfigurationChange, _ settings: PolicySettings) throws(Refusal) -> Configuration {
        var next = self
        switch change {
        case .category(let category, let mode, let options, let policy):
            next.category = category
            // MODE-2: if the call names no mode, the current one is kept, or reset if the category
            // does not allow it.
            next.mode = mode ?? (self.mode.suits(category) ? self.mode : .default)
            next.requestedOptions = options
            next.routeSharingPolicy = policy
        case .mode(let mode):
            next.mode = mode
        }
        if !next.mode.suits(next.category) {
            guard settings.treatsUnsuitedModeAsDefault else { throw .unsuitedMode(next.mode, next.category) }
            next.mode = .default
        }
        try next.checkOptions()
        try next.checkRouteSharingPolicy()
        return next
    }

    /// Throws if a requested option is unknown, is not allowed with this category and mode, or
    /// requires an option that is missing (keeps OPT-3). An option that another requested one
    /// implies is always allowed, so that a caller can set the value of `options` again.
    private func checkOptions() throws(Refusal) {
        let known = OptionRow.table.reduce(UInt(0)) { $0 | $1.option.rawValue }
        guard requestedOptions.rawValue & ~known == 0 else { throw .unknownOptions(requestedOptions) }
        let implied = OptionRow.table.reduce(into: CategoryOptions()) { implied, row in
            guard requestedOptions.rawValue & row.bit != 0, row.suits(category, mode) else { return }
            implied.formUnion(row.implies)
        }
        for row in OptionRow.table where requestedOptions.rawValue & row.bit != 0 {
            guard row.suits(category, mode) || implied.contains(row.option) else {
                throw .unsuitedOption(row, category, mode)
            }
            guard options.contains(row.needs) else { throw .missingOption(row.name, row.needs, rule: row.rule) }
        }
        guard options.contains(mode.neededOptions) else {
            throw .missingOption("mode \(mode.rawValue)", mode.neededOptions, rule: .mode1)
        }
    }

    /// Throws if the route sharing policy does not fit the category and mode (keeps the part of
    /// ROUTE-10 that concerns a single session).
    private func checkRouteSharingPolicy() throws(Refusal) {
        if routeSharingPolicy == .independent {
            throw Refusal(
                .badParam, .route10,
                "Route sharing policy 'independent' is reserved for the system. Use 'default' or a long-form policy."
            )
        }
        if routeSharingPolicy.isLongForm, category != .playback || mode == .shortFormVideo {
            throw Refusal(
                .badParam, .route10,
                """
                A long-form route sharing policy cannot be used with category \(category.rawValue) in mode \
                \(mode.rawValue); it requires category playback in a mode other than shortFormVideo. Use policy \
                'default', or such a category and mode.
                """)
        }
    }
}

extension Refusal {
    static func unsuitedMode(_ mode: Mode, _ category: Category) -> Refusal {
        let modes = Mode.allCases.filter { $0.suits(category) }.map(\.rawValue).joined(separator: ", ")
        let categories = mode.categories.map(\.rawValue).joined(separator: ", ")
        return Refusal(
            .badParam, .mode1,
            """
            Mode \(mode.rawValue) cannot be used with category \(category.rawValue); its categories are \
            \(categories). Modes for \(category.rawValue): \(modes).
            """)
    }

    static func unsuitedOption(_ row: OptionRow, _ category: Category, _ mode: Mode) -> Refusal {
        let sanitized = CategoryOptions.sanitized(to: category, mode: mode).map(\.name).joined(separator: ", ")
        let allowed = row.suits.map { entry in
            switch entry.modes {
            case .any: entry.category.rawValue
            case .only(let mode): "\(entry.category.rawValue) in mode \(mode.rawValue)"
            }
        }
        return Refusal(
            .badParam, .opt3,
            """
            Option \(row.name) cannot be used with category \(category.rawValue) in mode \(mode.rawValue); it can be \
            used with \(allowed.joined(separator: ", ")) (\(row.rule.rawValue)). Options for this category and mode: \
            \(sanitized.isEmpty ? "none" : sanitized).
            """)
    }

    static func missingOption(_ what: String, _ needed: CategoryOptions, rule: Rule) -> Refusal {
        Refusal(.badParam, rule, "\(what) requires option \(needed); set that option as well.")
    }

    static func unknownOptions(_ options: CategoryOptions) -> Refusal {
        let known = CategoryOptions.named.map(\.name).joined(separator: ", ")
        return Refusal(
            .badParam, .opt3, "Not all of these options exist: \(options). Known options: \(known).")
    }
}

extension RouteSharingPolicy {
    fileprivate var isLongForm: Bool { self == .longFormAudio || self == .longFormVideo }
}
