internal import Foundation

/// Finds sounds by name in the sound themes that are installed, as the Sound Theme Specification of
/// freedesktop.org describes it.
struct SoundTheme: Sendable {
    /// The theme's name, the name of its folder.
    let name: String
    /// The folders in which themes are installed, the most important one first.
    let folders: [String]
    /// The subfolders for languages, the most specific one first; the last one is for all.
    let languages: [String]

    /// What a theme has under a name.
    enum Entry: Equatable {
        case file(String)
        /// The theme turns the sound off.
        case disabled
    }

    /// The theme that every search ends with.
    static let fallback = "freedesktop"
    /// The endings of a sound's file; a file with the first one turns the sound off.
    private static let endings = [".disabled", ".oga", ".ogg", ".wav"]
    /// The output profile whose sounds are preferred; others follow.
    private static let profile = "stereo"

    /// Creates a theme; nil: the one that the environment names in `AUDIOSESSION_SOUND_THEME`, or
    /// `freedesktop`.
    init(_ name: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment) {
        func value(_ key: String) -> String? { environment[key].flatMap { $0.isEmpty ? nil : $0 } }
        self.name = name ?? value("AUDIOSESSION_SOUND_THEME") ?? Self.fallback
        let own = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let shared = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        folders = ([own].compactMap { $0 } + shared.split(separator: ":").map(String.init))
            .filter { $0.hasPrefix("/") }.map { $0 + "/sounds" }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG") ?? "C"
        let plain = String(locale.prefix { $0 != "." && $0 != "@" })
        let language = String(plain.prefix { $0 != "_" })
        languages = (plain == language ? [plain] : [plain, language]).filter { !$0.contains("/") } + ["C", ""]
    }

    /// Returns the entry of a sound: of this theme, of one that it inherits, or of `freedesktop`.
    /// If there is none, looks for less specific names: after `dialog-warning-disk` for
    /// `dialog-warning`. Nil if there is no entry.
    func entry(of sound: String) -> Entry? {
        guard !sound.isEmpty, !sound.contains("/") else { return nil }
        let themes = inheritance.map { ($0, subfolders(of: $0)) }
        var sound = Substring(sound)
        while true {
            for (theme, subfolders) in themes {
                if let entry = entry(of: sound, in: theme, subfolders) { return entry }
            }
            if let entry = firstFile(named: sound, in: folders) { return entry }
            guard let dash = sound.lastIndex(of: "-") else { return nil }
            sound = sound[..<dash]
        }
    }

    /// The theme, those that it inherits, and `freedesktop`, each once.
    private var inheritance: [String] {
        var found: [String] = []
        var next = [name]
        while let theme = next.first {
            next.removeFirst()
            guard !theme.isEmpty, !theme.contains("/"), !found.contains(theme), found.count < 64 else { continue }
            found.append(theme)
            next += index(of: theme)["Sound Theme"]?["Inherits"].map(Self.list) ?? []
        }
        found.removeAll { $0 == Self.fallback }
        return found + [Self.fallback]
    }

    /// Returns the subfolders of a theme, those of the preferred output profile first.
    private func subfolders(of theme: String) -> [String] {
        let index = index(of: theme)
        let all = index["Sound Theme"]?["Directories"].map(Self.list) ?? []
        let valid = all.filter { !$0.hasPrefix("/") && !$0.split(separator: "/").contains("..") }
        let isPreferred = { (folder: String) in index[folder]?["OutputProfile"] == Self.profile }
        return valid.filter(isPreferred) + valid.filter { !isPreferred($0) }
    }

    private func entry(of sound: Substring, in theme: String, _ subfolders: [String]) -> Entry? {
        for subfolder in subfolders {
            for language in languages {
                let places = folders.map { "\($0)/\(theme)/\(subfolder)" + (language.isEmpty ? "" : "/" + language) }
                if let entry = firstFile(named: sound, in: places) { return entry }
            }
        }
        return nil
    }

    private func firstFile(named sound: Substring, in places: [String]) -> Entry? {
        for place in places {
            for ending in Self.endings {
                let path = "\(place)/\(sound)\(ending)"
                guard access(path, F_OK) == 0 else { continue }
                return ending == ".disabled" ? .disabled : .file(path)
            }
        }
        return nil
    }

    /// Returns the sections of a theme's first `index.theme`, by name; empty without one.
    private func index(of theme: String) -> [String: [String: String]] {
        for folder in folders {
            guard let text = try? String(contentsOfFile: "\(folder)/\(theme)/index.theme", encoding: .utf8) else {
                continue
            }
            return Self.sections(of: text)
        }
        return [:]
    }

    private static func sections(of text: String) -> [String: [String: String]] {
        var sections: [String: [String: String]] = [:]
        var section = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmingCharacters(in: .whitespaces)
                let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
                sections[section, default: [:]][key] = value
            }
        }
        return sections
    }

    /// Returns the elements of a list, which themes separate by commas or spaces.
    private static func list(_ text: String) -> [String] {
        text.split { $0 == "," || $0 == ";" || $0.isWhitespace }.map(String.init)
    }
}
