import Foundation
import SessionArbiter
import SessionPolicy
import TestRandom
import TestSupport
import Testing

@testable import ArbiterService

/// The configuration file.
@Suite struct ConfigurationTests: ConfigurationReading {
    static var sample: String {
        get throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            return try String(contentsOf: root.appending(path: "Packaging/audiosession.yaml"), encoding: .utf8)
        }
    }

    @Test("The sample contains every setting, each with its default")
    func sample() throws {
        let text = try Self.sample
        let (settings, warnings) = try read(text)
        #expect(settings == ServiceSettings())
        #expect(warnings == [])
        let lines = try SettingsReader(text).lines
        #expect(Set(lines.keys) == Set(Setting.all.map(\.name)))
    }

    @Test(
        "A byte order mark has no effect",
        arguments: ["duck:\n  attack: 1\nramps:\n  fade: 0.01\n", "duck:\n attack: 1\n"])
    func byteOrderMark(text: String) throws {
        let (settings, warnings) = try read("\u{FEFF}" + text)
        #expect(try settings == read(text).settings && settings != ServiceSettings() && warnings == [])
    }

    /// Returns a value other than the default.
    private func other(_ setting: Setting) -> String {
        let defaults = ServiceSettings()
        switch setting.kind {
        case .real(let place, let range, _):
            let value = defaults[keyPath: place]
            return String(value == range.upperBound ? range.lowerBound : (value + range.upperBound) / 2)
        case .level: return "0.25"
        case .whole(let place, let range, _): return String(min(range.upperBound, defaults[keyPath: place] + 1))
        case .flag(let place): return String(!defaults[keyPath: place])
        case .lockReaction: return "background"
        case .paths: return "[/usr/bin/phone]"
        case .permissions: return "{/usr/bin/phone: denied}"
        }
    }

    /// Returns the leaves of a JSON value by path.
    private func leaves(_ settings: ServiceSettings) throws -> [String: String] {
        var leaves: [String: String] = [:]
        func walk(_ value: Any, _ path: String) {
            if let object = value as? [String: Any], path != ".recordPermissions" {
                for (key, value) in object { walk(value, path + "." + key) }
            } else {
                leaves[path] = "\(value)"
            }
        }
        walk(try JSONSerialization.jsonObject(with: JSONEncoder().encode(settings)), "")
        return leaves
    }

    @Test("Each setting in the file changes exactly one field, and every field has a setting")
    func everyKey() throws {
        let defaults = try leaves(ServiceSettings())
        var reached: Set<String> = []
        for setting in Setting.all {
            // The lease limit must be longer than the ping interval.
            let rest = setting.name == "service.ping-interval" ? "\n  lease-limit: 60" : ""
            let text = "\(setting.section):\n  \(setting.key): \(other(setting))" + rest
            let (settings, warnings) = try read(text)
            #expect(warnings == [])
            let changed = try leaves(settings).filter { defaults[$0.key] != $0.value }.keys
            let own = changed.filter { rest.isEmpty || $0 != ".leaseLimit" }
            #expect(own.count == 1, "\(setting.name) changed \(changed)")
            reached.formUnion(own)
        }
        let devices = try read("devices: [{match: x, hidden: true}]").settings
        reached.formUnion(try leaves(devices).filter { defaults[$0.key] != $0.value }.keys)
        let programs = try read("foreign-programs: [{match: x, ignored: true}]").settings
        reached.formUnion(try leaves(programs).filter { defaults[$0.key] != $0.value }.keys)
        #expect(reached == Set(defaults.keys))
    }

    @Test("Settings of foreign programs")
    func foreignPrograms() throws {
        let settings = try read(
            """
            adoption:
              players-interrupt: false
              trusted-roles: [/home/me/bin/softphone]
            foreign-programs:
              - match: mpv
                session: movie
                attenuation: 20
              - {match: /usr/bin/game, session: game}
              - {match: org.ardour.Ardour, ignored: true}
              - {match: gnss, ducks-only-while-audible: false}
            """
        ).settings.adoption
        #expect(!settings.playersInterrupt)
        #expect(settings.trustedRoles == ["/home/me/bin/softphone"])
        #expect(
            settings.programs == [
                .init("mpv", kind: .movie, attenuation: 20), .init("/usr/bin/game", kind: .game),
                .init("org.ardour.Ardour", isIgnored: true), .init("gnss", ducksOnlyWhileAudible: false),
            ])
    }

    @Test(
        "Errors in the settings of foreign programs name the line and what is expected",
        arguments: [
            ("foreign-programs: 3", 1, "takes a list"), ("foreign-programs:\n  - session: music", 2, "has no name"),
            ("foreign-programs:\n  - match: x", 2, "changes nothing"),
            ("foreign-programs:\n  - match: x\n    session: musik", 3, "did you mean music?"),
            ("foreign-programs:\n  - match: x\n    attenuation: 121", 3, "0 to 120 dB"),
            ("foreign-programs:\n  - match: x\n    attenuation: loud", 3, "0 to 120 dB"),
            ("foreign-programs:\n  - match: x\n    ignored: yes", 3, "true or false"),
            ("foreign-programs:\n  - match: x\n    ducks-only-while-audible: 3", 3, "true or false"),
            ("foreign-programs:\n  - {match: x, ignored: true, session: music}", 2, "remove one or the other"),
            ("foreign-programs:\n  - [x]", 2, "consists of settings"),
            (
                "foreign-programs: [\(Array(repeating: "{match: x, ignored: true}", count: 257).joined(separator: ", "))]",
                1, "the limit is 256"
            ),
        ])
    func wrongForeignPrograms(text: String, line: Int, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try read(text) }
        #expect(error.description.contains("line \(line)"), "\(error)")
        #expect(error.description.contains(message), "\(error)")
    }

    @Test("Integers are accepted as reals, and values are read as written")
    func values() throws {
        let settings = try read(
            """
            duck:
              attenuation: 20
              release: 1e0
            volume: {system: 0}
            rules:
            server: # nothing
            programs:
              trusted: ["/usr/bin/phone", '/opt/x', /opt/R&B]
              record-permissions:
                /usr/bin/rec.order: granted
            devices:
            """
        ).settings
        #expect(settings.arbiter.policy.duckAttenuation == 20)
        #expect(settings.arbiter.policy.duckRelease == 1)
        #expect(settings.volume == 0)
        #expect(settings.trustedPrograms == ["/usr/bin/phone", "/opt/x", "/opt/R&B"])
        #expect(settings.recordPermissions == ["/usr/bin/rec.order": .granted])
    }

    @Test(
        "Errors are reported with line, key, range and value, and no setting applies",
        arguments: [
            ("duck:\n  attenuation: 121", "line 2: duck.attenuation takes a number from 0 to 120 dB, not 121"),
            ("duck: {attenuation: -1.5}", "line 1: duck.attenuation takes a number from 0 to 120 dB, not -1.5"),
            ("duck:\n  attenuation: .nan", "line 2: duck.attenuation takes a number from 0 to 120 dB, not .nan"),
            ("duck:\n  attenuation: 0x10", "line 2: duck.attenuation takes a number from 0 to 120 dB, not 0x10"),
            ("\n\nduck:\n\n  attack: \"1\"", "line 5: duck.attack takes a number from 0 to 60 s, not \"1\""),
            ("duck:\n  attack:\n  release: 1", "line 2: duck.attack takes a number from 0 to 60 s, not nothing"),
            ("rules:\n  notify-suspension: 1", "line 2: rules.notify-suspension takes true or false, not 1"),
            ("rules:\r\n  notify-suspension: yes", "line 2: rules.notify-suspension takes true or false, not yes"),
            ("duck: 3", "line 1: 'duck' consists of settings, indented below it, not of 3"),
            ("- duck", "line 1: the file consists of sections, such as 'duck:', not of a list"),
            ("[a]: 3", "line 1: a list cannot be the name of a setting"),
            (
                "limits:\n  clients: 2.0",
                "line 2: limits.clients takes a whole number from 1 to 65536 (clients), not 2.0"
            ),
            (
                "limits:\n  clients: 18446744073709551617",
                "line 2: limits.clients takes a whole number from 1 to 65536 (clients), not 18446744073709551617"
            ),
            ("volume: {system: 1_0}", "line 1: volume.system takes a number from 0 to 1, not 1_0"),
            (
                "programs:\n  trusted: /a",
                "line 2: programs.trusted takes a list of absolute paths, such as [/usr/bin/phone], not /a"
            ),
            (
                "programs:\n  trusted:\n    - /a\n    - phone",
                "line 4: programs.trusted takes absolute paths of programs, not phone"
            ),
            (
                "programs:\n  record-permissions:\n    /a: yes",
                """
                line 3: programs.record-permissions takes absolute paths of programs, each with granted, denied or undetermined; \
                '/a: yes' is not such a pair
                """
            ),
            (
                "service:\n  ping-interval: 7",
                """
                line 2: service.lease-limit is 5.0 s and must be longer than service.ping-interval, 7.0 s: a client cannot \
                answer before it is pinged
                """
            ),
            (
                "limits:\n  sessions: 3",
                "line 2: limits.sessions-per-app is 64 and must not exceed limits.sessions, 3"
            ),
        ])
    func wrongValues(_ text: String, _ problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test("All errors are reported at once, in the order of the lines")
    func allProblems() {
        let found = problems("ramps:\n  fade: -1\nduck:\n  attack: 99\n  release: true\n")
        #expect(found.map { $0.prefix(7) } == ["line 2:", "line 4:", "line 5:"])
    }

    @Test(
        "Invalid YAML is reported with its line",
        arguments: [
            ("duck:\n  attenuation: : 3", "line 2: mapping values are not allowed in this context"),
            (
                "duck:\n\tattack: 1",
                "line 2: while scanning for the next token, found character that cannot start any token"
            ),
            ("é: 👩‍👩‍👧\r\nduck: \u{0}", "line 2: control characters are not allowed"),
            ("duck:\n  attack: 1\n  attack: 2", "line 2: the key 'attack' occurs more than once"),
            ("---\n---\n", "line 2: expected a single document in the stream, but found another document"),
            (
                "duck:\n  attack: &a 1",
                "line 2: '&' before a name is an anchor, which is not supported; in double quotes, \\x26 means '&'"
            ),
            ("devices:\n- match: *USB", "line 2: found undefined alias; text that begins with '*' needs quotes"),
            (
                "devices:\n- match: *USB*",
                "line 2: while scanning an alias, did not find expected alphabetic or numeric character; text that begins with '*' needs quotes"
            ),
            ("[duck]\nattack = 1", "line 2: did not find expected <document start>"),
        ])
    func syntax(_ text: String, _ problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test(
        "Unknown names cause warnings, with their line and a suggestion",
        arguments: [
            (
                "duck:\n  atenuation: 3",
                "'x.yaml', line 2: unknown setting 'duck.atenuation'; did you mean 'duck.attenuation'?"
            ),
            ("ducks:\n  attack: 3", "'x.yaml', line 1: unknown section 'ducks'; did you mean 'duck'?"),
            ("duck:\n  fade: 3", "'x.yaml', line 2: unknown setting 'duck.fade'; did you mean 'ramps.fade'?"),
            ("zebra:\n  x: 3", "'x.yaml', line 1: unknown section 'zebra'; it is ignored"),
            ("\r\nduck:\r\n  zebra: 3", "'x.yaml', line 3: unknown setting 'duck.zebra'; it is ignored"),
            ("duck: {<<: {attack: 3}}", "'x.yaml', line 1: unknown setting 'duck.<<'; it is ignored"),
        ])
    func unknownNames(_ text: String, _ warning: String) throws {
        let (settings, warnings) = try read(text)
        #expect(settings == ServiceSettings())
        #expect(warnings == [warning])
    }

    @Test("The default file may be missing; a file given by name may not")
    func missing() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: ConfigurationError.missing(path: folder.file("none.yaml"))) {
            try startingServiceSettings(from: folder.file("none.yaml"))
        }
        let none = folder.path
        func path(_ home: String) -> String {
            ConfigurationFile.defaultPath(in: ["XDG_CONFIG_HOME": home, "XDG_CONFIG_DIRS": none, "HOME": "/h"])
        }
        #expect(path("/x") == "/x/audiosession/audiosession.yaml")
        #expect(path("x") == "/h/.config/audiosession/audiosession.yaml")
    }

    @Test("Without a file of the user, the first one of the system applies")
    func systemFile() throws {
        let folder = try TemporaryDirectory()
        func create(_ name: String) throws -> String {
            let path = folder.file(name)
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try "".write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        let dirs = ["relative", folder.file("none"), folder.file("a"), folder.file("b")].joined(separator: ":")
        let variables = ["XDG_CONFIG_HOME": folder.file("home"), "XDG_CONFIG_DIRS": dirs]
        var path: String { ConfigurationFile.defaultPath(in: variables) }
        let own = folder.file("home/audiosession/audiosession.yaml")
        #expect(path == own)
        #expect(try create("b/audiosession/audiosession.yaml") == path)
        #expect(try create("a/audiosession/audiosession.yaml") == path)
        // The user's file replaces that of the system as a whole, also one of the former format.
        let former = try create("home/audiosession/audiosession.toml")
        #expect(path == own)
        try FileManager.default.removeItem(atPath: former)
        #expect(path == folder.file("a/audiosession/audiosession.yaml"))
        #expect(try create("home/audiosession/audiosession.yaml") == path)
    }

    @Test("A file of the former format is reported instead of read")
    func outdated() throws {
        let folder = try TemporaryDirectory()
        let (former, path) = (folder.file("a.toml"), folder.file("a.yaml"))
        try "[duck]\nattack = 1\n".write(toFile: former, atomically: true, encoding: .utf8)
        for named in [former, path] {
            #expect(throws: ConfigurationError.outdated(path: former, replacement: path)) {
                try startingServiceSettings(from: named)
            }
        }
        try "duck: {attack: 1}".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try startingServiceSettings(from: path).settings.arbiter.policy.duckAttack == 1)
    }

    @Test("A damaged file is never fatal, is not modified, and none of its settings applies")
    func damaged() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("a.yaml")
        let text = "duck:\n  attenuation: 3\n  attack: 99\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let (settings, warnings) = try startingServiceSettings(from: path)
        #expect(settings == ServiceSettings())
        #expect(
            warnings == [
                """
                The configuration file '\(path)' is not applied: line 3: duck.attack takes a number from 0 to 60 s, not 99. All \
                settings have their default values.
                """
            ])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try startingServiceSettings(from: path).warnings.first?.contains("it is not a regular file") == true)
    }

    /// Files of the maximum size, and those that break or delay other parsers.
    static let hostileFiles: [String] = {
        func fill(_ unit: String, _ size: Int = ConfigurationFile.limit) -> String {
            String(repeating: unit, count: size / unit.utf8.count)
        }
        var bomb = "l0: &l0 [x]\n"
        for level in 1...40 { bomb += "l\(level): &l\(level) [*l\(level - 1), *l\(level - 1), *l\(level - 1)]\n" }
        let nested = String(repeating: "{", count: 490) + String(repeating: "}", count: 490)
        var files = [
            "[", "{", "- ", "? ", "{? ", "{a: ", "-", "?", "a", "9", "#", "&a ", "*a ", "\"", "|\n ", "\n ", "\r",
            "%A a\n",
            "k: 1\n", "- !!a x\n", "---\n",
        ].map { fill($0) }
        files += [bomb + "? *l40\n: 1\n", "[" + fill(nested + ",", 4_000) + "]", "? " + fill("a") + "\n: 1"]
        files += ["[" + fill("a,") + "]", "{" + fill("[]: a,") + "}", "duck: {attack: " + fill("9") + "}"]
        files += [
            "duck: {" + fill("a", 1_000) + ": 1}", "\u{FEFF}[", "a: \"\\uD800\"", "!<%FF%FE> x", ":", "[=]", "<<: *a",
        ]
        files.append("%TAG !e! tag:" + fill("x", 16_384) + "\n---\n" + fill("- !e!a b\n", 16_384))
        files.append((0..<3_500).map { "k\($0): 1\n" }.joined())
        files.append((0..<250).map { String(repeating: " ", count: $0) + "a:\n" }.joined())
        return files
    }()

    @Test("Hostile files are read or refused in a short time", arguments: hostileFiles.indices)
    func hostile(_ number: Int) {
        let before = clock()
        _ = try? read(Self.hostileFiles[number])
        #expect(clock() - before < 30 * CLOCKS_PER_SEC)
    }

    @Test("Any file contents are either read or refused", arguments: 1...4 as ClosedRange<UInt64>)
    func mutations(_ number: UInt64) throws {
        var random = SeededGenerator(seed: TestSeed.ofCase(number))
        let sample = Array(try Self.sample.utf8)
        let pieces = [
            "[", "]", "{", "}", "\"", "'", "\\u00", "\n", "\n  ", "#", "1e999", "- ", "? ", ": ", "&a ", "*a", "|\n",
            "!!a ",
            "%TAG ", "---\n", "<<", "\t", "\u{FEFF}", "\u{2028}",
        ].map { Array($0.utf8) }
        for _ in 0..<150 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 200))
                }
            }
            do {
                _ = try read(String(decoding: bytes, as: UTF8.self))
            } catch ConfigurationError.damaged(_, let problems) {
                #expect(!problems.isEmpty, "\(TestSeed.text), case \(number)")
            } catch {
                Issue.record(error, "\(TestSeed.text), case \(number)")
            }
        }
    }
}
