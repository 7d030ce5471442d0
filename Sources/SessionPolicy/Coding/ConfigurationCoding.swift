/// A change of a configuration in JSON: the arguments of the call, in one object.
extension ConfigurationChange {
    enum Key: String, CodingKey, CaseIterable { case category, mode, options, routeSharingPolicy }

    /// Decodes a change. Without a mode, options or a policy, these are the defaults of
    /// `ConfigurationChange`. Without a category, the object holds only a mode.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, "a category, a mode or both")
        if object.contains(.category) {
            self = .category(
                try object.read(.category), mode: try object.readIfPresent(.mode),
                options: try object.readIfPresent(.options) ?? [],
                routeSharingPolicy: try object.readIfPresent(.routeSharingPolicy) ?? .default)
        } else {
            for key in [Key.options, .routeSharingPolicy] where object.contains(key) {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: object,
                    debugDescription:
                        "'\(key.rawValue)' requires 'category'; add the category.")
            }
            self = .mode(try object.read(.mode))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch self {
        case .category(let category, let mode, let options, let policy):
            try object.encode(category, forKey: .category)
            try object.encodeIfPresent(mode, forKey: .mode)
            try object.encode(options, forKey: .options)
            try object.encode(policy, forKey: .routeSharingPolicy)
        case .mode(let mode):
            try object.encode(mode, forKey: .mode)
        }
    }
}

/// A preferred value in JSON: its name and its value.
extension Preference {
    private enum Key: String, CodingKey { case preference, value }

    private enum Name: String, JSONNamed { case sampleRate, ioBufferDuration, inputChannels, outputChannels }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, "a preference and its value")
        switch try object.read(.preference, as: Name.self) {
        case .sampleRate: self = .sampleRate(try object.readFinite(.value))
        case .ioBufferDuration: self = .ioBufferDuration(try object.readFinite(.value))
        case .inputChannels: self = .inputChannels(try object.read(.value))
        case .outputChannels: self = .outputChannels(try object.read(.value))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let (name, value): (Name, any Encodable) =
            switch self {
            case .sampleRate(let rate): (.sampleRate, rate)
            case .ioBufferDuration(let duration): (.ioBufferDuration, duration)
            case .inputChannels(let count): (.inputChannels, count)
            case .outputChannels(let count): (.outputChannels, count)
            }
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(name, forKey: .preference)
        try object.encode(value, forKey: .value)
    }
}
