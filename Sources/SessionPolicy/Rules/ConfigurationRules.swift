extension Configuration {
    /// The configuration after a change; throws what does not suit, with what would (keeps CAT-6, MODE-1, MODE-2, OPT-3).
    func applying(_ change: ConfigurationChange, _ settings: PolicySettings) throws(Refusal) -> Configuration {
        var next = self
        switch change {
        case .category(let category, let mode, let options, let policy):
            next.category = category
            // MODE-2: only a mode that the call does not name is reset.
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

    /// Keeps OPT-3. An option that another of the same call implies need not suit by itself, so that `options` can be set again.
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

    /// Keeps ROUTE-10 as far as a single session goes.
    private func checkRouteSharingPolicy() throws(Refusal) {
        if routeSharingPolicy == .independent {
            throw Refusal(
                .badParam, .route10,
                "Route sharing policy 'independent' was asked for; it is the system's to set. Use 'default', or a long-form policy."
            )
        }
        if routeSharingPolicy.isLongForm, category != .playback || mode == .shortFormVideo {
            throw Refusal(
                .badParam, .route10,
                """
                A long-form route sharing policy was asked for with category \(category.rawValue), mode \(mode.rawValue); it goes \
                with playback only, in any mode but shortFormVideo. Use policy 'default', or category playback.
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
            Mode \(mode.rawValue) was asked for with category \(category.rawValue); it goes with \(categories). \
            Modes for \(category.rawValue): \(modes).
            """)
    }

    static func unsuitedOption(_ row: OptionRow, _ category: Category, _ mode: Mode) -> Refusal {
        let suited = CategoryOptions.suited(to: category, mode: mode).map(\.name).joined(separator: ", ")
        let places = row.suits.map { place in
            switch place.modes {
            case .any: place.category.rawValue
            case .only(let mode): "\(place.category.rawValue) in mode \(mode.rawValue)"
            }
        }
        return Refusal(
            .badParam, .opt3,
            """
            Option \(row.name) was asked for with category \(category.rawValue), mode \(mode.rawValue); it goes with \
            \(places.joined(separator: ", ")) (\(row.rule.rawValue)). Options for this pair: \(suited.isEmpty ? "none" : suited).
            """)
    }

    static func missingOption(_ what: String, _ needed: CategoryOptions, rule: Rule) -> Refusal {
        Refusal(.badParam, rule, "\(what) was asked for without \(needed), which it needs; set that option too.")
    }

    static func unknownOptions(_ options: CategoryOptions) -> Refusal {
        let known = CategoryOptions.named.map(\.name).joined(separator: ", ")
        return Refusal(
            .badParam, .opt3, "Options were asked for that do not exist: \(options). Known options: \(known).")
    }
}
