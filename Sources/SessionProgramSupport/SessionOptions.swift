package import ArgumentParser
package import AudioSessions
package import JackDriver

/// The options of a program's session, besides its category.
package struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Session mode: \(Names.modes.known).", valueName: "name"),
        completion: .list(Names.modes.names))
    package var mode = "default"

    @Option(
        name: .customLong("option"),
        help: ArgumentHelp("Category option; may be repeated: \(Names.options.known).", valueName: "name"),
        completion: .list(Names.options.names))
    package var categoryOptions: [String] = []

    @Option(help: ArgumentHelp("Preferred sample rate; the server may keep its current one.", valueName: "hz"))
    package var sampleRate: Double?

    package init() {}

    /// Sets the session's category by its name, and its mode, options and preferred sample rate.
    package func configure(_ session: AudioSession, category name: String) throws {
        let category = try Names.categories.value(name)
        let mode = try Names.modes.value(mode)
        var options: AudioSession.CategoryOptions = []
        for name in categoryOptions { options.insert(try Names.options.value(name)) }
        try session.setCategory(category, mode: mode, options: options)
        if let sampleRate { try session.setPreferredSampleRate(sampleRate) }
    }
}

/// The options that choose a server.
package struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server: auto (the default server if it is running, else the managed one), managed, or a name.",
            valueName: "auto|managed|name"),
        completion: .list(["auto", "managed"]))
    package var server = "auto"

    @Option(
        help: ArgumentHelp(
            "How long to wait for a server that died before exiting with status 69.", valueName: "seconds"))
    package var wait = 10.0

    package init() {}

    package func validate() throws {
        try check("--wait", wait, in: 0...1e9)
        guard (1...127).contains(server.utf8.count) else {
            throw ValidationError("--server: give auto, managed, or a server name of 1 to 127 bytes.")
        }
    }

    /// The driver's configuration. A server that is started for the program starts with the
    /// preferred sample rate; a running one keeps its own (HW-1).
    package func configuration(clientName: String, sampleRate: Double?) -> JackDriver.Configuration {
        let choice: JackDriver.ServerChoice =
            switch server {
            case "auto": .automatic
            case "managed": .managed
            default: .named(server)
            }
        var managed = ManagedServer()
        if let sampleRate, (1_000...768_000).contains(sampleRate) { managed.sampleRate = Int(sampleRate) }
        return JackDriver.Configuration(
            server: choice, clientName: clientName, recovery: .within(seconds: wait), managedServer: managed)
    }

    /// The error for a server that was lost for good.
    package func serverIsGone(_ program: String) -> ProgramFailure {
        ProgramFailure(
            .unavailable,
            "The JACK server died and did not return; start it again, then restart the \(program).")
    }
}

/// The values of `--connections`.
package enum ConnectionOption: String, ExpressibleByArgument, CaseIterable {
    case device, remembered, none

    package var mode: JackDriver.ConnectionMode {
        switch self {
        case .device: .device
        case .remembered: .remembered
        case .none: .none
        }
    }
}

/// The options that choose what a program shows.
package struct InterfaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("What to display; auto: full on a terminal, else lines.", valueName: "auto|full|lines|none"))
    package var ui = Style.auto

    @Option(help: ArgumentHelp("Writes events to standard output, one JSON object per line.", valueName: "json"))
    package var events: EventFormat?

    package enum Style: String, ExpressibleByArgument, CaseIterable { case auto, full, lines, none }
    package enum EventFormat: String, ExpressibleByArgument, CaseIterable { case json }

    package init() {}

    package func validate() throws {
        guard events == nil || ui != .full else {
            throw ValidationError("--events json and --ui full both need standard output; choose one.")
        }
    }

    /// Whether the program shows the full-screen interface.
    package var wantsScreen: Bool { events == nil && (ui == .full || (ui == .auto && Screen.isPossible)) }

    /// How the program reports events.
    package func reportStyle(usesScreen: Bool) -> ReportStyle {
        events != nil ? .json : usesScreen ? .screen : ui == .none ? .silent : .lines
    }

    /// Throws if the full-screen interface is requested without a terminal.
    package func checkScreen() throws {
        guard ui != .full || Screen.isPossible else { throw Self.noScreen }
    }

    /// Opens the screen if the program shows one.
    package func openScreen() throws -> Screen? {
        guard wantsScreen else { return nil }
        guard let screen = Screen() else { throw Self.noScreen }
        return screen
    }

    private static var noScreen: ProgramFailure {
        ProgramFailure(.usage, "The full-screen interface needs a terminal; use --ui lines.")
    }
}

extension ParsableArguments {
    /// Throws if a value of an option is out of range.
    package func check(_ name: String, _ value: Double, in range: ClosedRange<Double>) throws {
        guard range.contains(value) else {
            throw ValidationError("\(name) \(value): give a number from \(range.lowerBound) to \(range.upperBound).")
        }
    }
}
