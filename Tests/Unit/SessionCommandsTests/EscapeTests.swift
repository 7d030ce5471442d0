import Foundation
import TestSupport
import Testing

/// Names from outside, such as that of a Bluetooth device, must not control the user's terminal.
@Suite("Control characters in names", .serialized)
struct EscapeTests {
    private static let name = "a\u{1b}[2J\u{1b}]0;b\u{7}c\nd\u{7f}e\u{9b}f\u{202e}g"
    private static let shown = #"a\x1b[2J\x1b]0;b\x07c\x0ad\x7fe\x9bf\u{202e}g"#
    private let audiosession: AudiosessionRun

    init() throws { audiosession = try AudiosessionRun() }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ChildProcess.run(try BuiltProgram.path("audiosession"), arguments, environment: audiosession.environment)
    }

    @Test("Text shows them as escape sequences, JSON as JSON does")
    func devices() throws {
        func expectShown(_ result: (status: Int32, output: String), status: Int32 = 0, _ command: String) {
            #expect(result.status == status, "\(command)")
            #expect(result.output.contains(Self.shown), "\(command): \(result.output.debugDescription)")
            let controls = result.output.unicodeScalars.filter {
                $0.properties.generalCategory == .control && $0 != "\n" || $0 == "\u{202e}"
            }
            #expect(controls.isEmpty, "\(command): \(result.output.debugDescription)")
        }
        expectShown(try run("device", "plug", Self.name, "--type", "headphones", "--policy-only"), "device plug")
        expectShown(try run("device", "plug", Self.name, "--type", "headphones"), status: 64, "device plug again")
        expectShown(try run("device", "list"), "device list")
        expectShown(try run("status"), "status")
        expectShown(try run("route"), "route")
        expectShown(try run("route", Self.name), "route NAME")
        expectShown(try run("route", Self.name + "!"), status: 64, "route to an unknown port")
        expectShown(try run("log"), "log")
        #expect(try run("device", "list").output.split(separator: "\n").count == 1)
        let list = try audiosession.object("device list")
        #expect((list["devices"] as? [[String: Any]])?.first?["name"] as? String == Self.name)
    }
}
