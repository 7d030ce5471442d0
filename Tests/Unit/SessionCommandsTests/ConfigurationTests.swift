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
            return try String(contentsOf: root.appending(path: "Packaging/audiosession.toml"), encoding: .utf8)
        }
    }

    @Test("The sample contains every setting, each with its default")
    func sample() throws {
        let text = try Self.sample
        let (settings, warnings) = try read(text)
        #expect(settings == ServiceSettings())
        #expect(warnings == [])
        let lines = KeyLines(text)
        for setting in Setting.all {
            let line = try #require(lines.line(of: [setting.section, setting.key]))
            let written = text.split(separator: "\n", omittingEmptySubsequences: false)[line - 1]
            #expect(written.hasPrefix(setting.key + " = "), "\(setting.name) is not in the sample")
        }
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
        case .paths: return "[\"/usr/bin/phone\"]"
        case .permissions: return "{ \"/usr/bin/phone\" = \"denied\" }"
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
            let rest = setting.name == "service.ping-interval" ? "\nlease-limit = 60" : ""
            let (settings, warnings) = try read("[\(setting.section)]\n\(setting.key) = \(other(setting))" + rest)
            #expect(warnings == [])
            let changed = try leaves(settings).filter { defaults[$0.key] != $0.value }.keys
            let own = changed.filter { rest.isEmpty || $0 != ".leaseLimit" }
            #expect(own.count == 1, "\(setting.name) changed \(changed)")
            reached.formUnion(own)
        }
        let devices = try read("[[device]]\nmatch = \"x\"\nhidden = true").settings
        reached.formUnion(try leaves(devices).filter { defaults[$0.key] != $0.value }.keys)
        #expect(reached == Set(defaults.keys))
    }

    @Test("Integers are accepted as reals, and values are read as written")
    func values() throws {
        let settings = try read(
            """
            [duck]
            attenuation = 20
            release = 1
            [volume]
            system = 0
            [programs]
            trusted = ["/usr/bin/phone", "/opt/x"]
            [programs.record-permissions]
            "/usr/bin/rec.order" = "granted"
            """
        ).settings
        #expect(settings.arbiter.policy.duckAttenuation == 20)
        #expect(settings.arbiter.policy.duckRelease == 1)
        #expect(settings.volume == 0)
        #expect(settings.trustedPrograms == ["/usr/bin/phone", "/opt/x"])
        #expect(settings.recordPermissions == ["/usr/bin/rec.order": .granted])
    }

    @Test(
        "Errors are reported with line, key, range and value, and no setting applies",
        arguments: [
            ("[duck]\nattenuation = 121", "line 2: duck.attenuation takes a number from 0 to 120 dB, not 121"),
            ("[duck]\nattenuation = -1.5", "line 2: duck.attenuation takes a number from 0 to 120 dB, not -1.5"),
            ("[duck]\nattenuation = nan", "line 2: duck.attenuation takes a number from 0 to 120 dB, not nan"),
            ("\n\n[duck]\n\nattack = \"fast\"", "line 5: duck.attack takes a number from 0 to 60 s, not \"fast\""),
            ("[rules]\nnotify-suspension = 1", "line 2: rules.notify-suspension takes true or false, not 1"),
            ("duck.attack = 61", "line 1: duck.attack takes a number from 0 to 60 s, not 61"),
            ("duck = 3", "line 1: 'duck' is a section; write [duck] and its settings below it"),
            (
                "[limits]\nclients = 2.0",
                "line 2: limits.clients takes a whole number from 1 to 65536 (clients), not 2.0"
            ),
            (
                "[programs]\ntrusted = [\"phone\"]",
                "line 2: programs.trusted takes a list of absolute paths, such as [\"/usr/bin/phone\"], not [ 'phone' ]"
            ),
            (
                "[programs.record-permissions]\n\"/a\" = \"yes\"",
                """
                line 2: programs.record-permissions takes absolute paths of programs, each with "granted", "denied" or "undetermined"; \
                '/a' = "yes" is not such a pair
                """
            ),
            (
                "[service]\nping-interval = 7",
                """
                line 1: service.lease-limit is 5.0 s and must be longer than service.ping-interval, 7.0 s: a client cannot \
                answer before it is pinged
                """
            ),
            (
                "[limits]\nsessions = 3",
                "line 1: limits.sessions-per-app is 64 and must not exceed limits.sessions, 3"
            ),
        ])
    func wrongValues(_ text: String, _ problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test("All errors are reported at once, in the order of the lines")
    func allProblems() {
        let found = problems("[ramps]\nfade = -1\n[duck]\nattack = 99\nrelease = true\n")
        #expect(found.map { $0.prefix(7) } == ["line 2:", "line 4:", "line 5:"])
    }

    @Test("Invalid TOML is reported with its line")
    func syntax() {
        let found = problems("[duck]\nattenuation = = 3\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("line 2: ") == true)
        #expect(problems("[duck]\nattack = 0.1\u{0}\n") == ["it contains a NUL character; remove it"])
    }

    @Test(
        "Unknown names cause warnings, with their line and a suggestion",
        arguments: [
            (
                "[duck]\natenuation = 3",
                "'x.toml', line 2: unknown setting 'duck.atenuation'; did you mean 'duck.attenuation'?"
            ),
            ("[ducks]\nattack = 3", "'x.toml', line 1: unknown section [ducks]; did you mean [duck]?"),
            ("[duck]\nfade = 3", "'x.toml', line 2: unknown setting 'duck.fade'; did you mean 'ramps.fade'?"),
            ("[zebra]\nx = 3", "'x.toml', line 1: unknown section [zebra]; it is ignored"),
            ("\r\n[duck]\r\nzebra = 3", "'x.toml', line 3: unknown setting 'duck.zebra'; it is ignored"),
        ])
    func unknownNames(_ text: String, _ warning: String) throws {
        let (settings, warnings) = try read(text)
        #expect(settings == ServiceSettings())
        #expect(warnings == [warning])
    }

    @Test("The default file may be missing; a file given by name may not")
    func missing() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: ConfigurationError.missing(path: folder.file("none.toml"))) {
            try startingServiceSettings(from: folder.file("none.toml"))
        }
        let found = ConfigurationFile.defaultPath(in: ["XDG_CONFIG_HOME": "/x", "HOME": "/h"])
        #expect(found == "/x/audiosession/audiosession.toml")
        #expect(
            ConfigurationFile.defaultPath(in: ["XDG_CONFIG_HOME": "x", "HOME": "/h"])
                == "/h/.config/audiosession/audiosession.toml")
    }

    @Test("A damaged file is never fatal, is not modified, and none of its settings applies")
    func damaged() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("a.toml")
        let text = "[duck]\nattenuation = 3\nattack = 99\n"
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

    @Test(
        "A section without a name is refused with its line",
        arguments: ["[=]", "[.duck]", "[[ #x]]", " [\u{301}duck]", "[", "\u{FEFF}[{]", "[\"\"\"", "[]", "[\u{1}"])
    func namelessSection(_ header: String) {
        #expect(problems(header + "\n").first?.hasPrefix("line 1: ") == true)
        #expect(problems("[duck]\n" + header + "\n").count == 1)
    }

    @Test("Any file contents are either read or refused", arguments: 1...4 as ClosedRange<UInt64>)
    func mutations(_ number: UInt64) throws {
        var random = SeededGenerator(seed: TestSeed.ofCase(number))
        let sample = Array(try Self.sample.utf8)
        let pieces = [
            "=", "[", "]", "{", "}", "\"", "'", "\"\"\"", "\\u00", "\n", "#", ".", "1e999", "-", "nan", "\u{FEFF}",
        ].map { Array($0.utf8) }
        for _ in 0..<150 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 1...127, using: &random)
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
