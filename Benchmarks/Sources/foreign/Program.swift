import Foundation
import Processes

/// A program that plays the signal.
struct Program: Sendable {
    let name: String
    /// The executable, found on PATH, and the Debian packages that it needs.
    let executable: String
    let packages: String
    /// How it speaks to PipeWire.
    let interface: String
    /// Whether the tests use it, too.
    var isQuick = false
    /// Whether it needs a display.
    var hasWindow = false
    /// Files that it needs besides its executable.
    var files: [String] = []
    /// The arguments; writes what the program needs in the desktop's folder.
    let arguments: @Sendable (Desktop) throws -> [String]

    static let all = [
        Program(
            name: "pw-play", executable: "pw-play", packages: "pipewire-bin", interface: "native", isQuick: true,
            arguments: { [$0.signal] }),
        Program(
            name: "paplay", executable: "paplay", packages: "pulseaudio-utils", interface: "pulse", isQuick: true,
            arguments: { [$0.signal] }),
        Program(
            name: "aplay", executable: "aplay", packages: "alsa-utils pipewire-alsa", interface: "alsa",
            files: ["/etc/alsa/conf.d/50-pipewire.conf"], arguments: { ["-q", "-D", "pipewire", $0.signal] }),
        mpv,
        Program(
            name: "mpv-pulse", executable: "mpv", packages: "mpv mpv-mpris", interface: "pulse", files: [mprisOfMPV],
            arguments: { mpvOptions("pulse") + [$0.signal] }),
        Program(
            name: "vlc", executable: "vlc", packages: "vlc-bin vlc-plugin-base", interface: "pulse",
            arguments: {
                ["-I", "dummy", "--control", "dbus", "--aout", "pulse", "--no-video", "--repeat", $0.signal]
            }),
        Program(
            name: "audacious", executable: "audacious", packages: "audacious audacious-plugins",
            interface: "pulse", arguments: { ["-H", $0.signal] }),
        Program(
            name: "chromium", executable: "chromium", packages: "chromium xvfb", interface: "pulse", hasWindow: true,
            arguments: { desktop in
                let options = [
                    "--autoplay-policy=no-user-gesture-required", "--no-first-run", "--disable-gpu",
                    "--ozone-platform=x11",
                ]
                return (getuid() == 0 ? ["--no-sandbox"] : []) + options
                    + ["--user-data-dir=\(desktop.folder)/chromium", try page(in: desktop)]
            }),
        Program(
            name: "firefox-esr", executable: "firefox-esr", packages: "firefox-esr xvfb", interface: "pulse",
            hasWindow: true,
            arguments: { desktop in
                let profile = desktop.folder + "/firefox"
                try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
                try """
                user_pref("media.autoplay.default", 0);
                user_pref("media.autoplay.blocking_policy", 0);
                user_pref("browser.shell.checkDefaultBrowser", false);
                user_pref("datareporting.policy.dataSubmissionEnabled", false);
                """.write(toFile: profile + "/user.js", atomically: true, encoding: .utf8)
                return ["--profile", profile, "--no-remote", try page(in: desktop)]
            }),
    ]

    static let mpv = Program(
        name: "mpv", executable: "mpv", packages: "mpv mpv-mpris", interface: "native", isQuick: true,
        files: [mprisOfMPV], arguments: { mpvOptions("pipewire") + [$0.signal] })

    private static let mprisOfMPV = "/usr/lib/mpv-mpris/mpris.so"

    private static func mpvOptions(_ output: String) -> [String] {
        ["--no-config", "--no-video", "--no-terminal", "--loop-file=inf", "--ao=\(output)", "--script=\(mprisOfMPV)"]
    }

    /// Writes a page that plays the signal, and returns its address.
    private static func page(in desktop: Desktop) throws -> String {
        let path = desktop.folder + "/page.html"
        try "<!DOCTYPE html><title>Signal</title><audio src=\"position.wav\" autoplay loop></audio>\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        return "file://" + path
    }

    /// The path of the executable; nil if it is not on PATH.
    private var path: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(executable)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Why it cannot be measured here; nil if it can.
    var absence: String? {
        let missing =
            [path == nil ? executable : nil].compactMap(\.self)
            + (files + (hasWindow ? ["/usr/bin/Xvfb"] : [])).filter { !FileManager.default.fileExists(atPath: $0) }
        guard !missing.isEmpty else { return nil }
        return "not installed: \(missing.joined(separator: ", ")) (Debian: \(packages))"
    }

    /// The number in what it says about its version.
    func version(_ desktop: Desktop) -> String {
        let command = (try? startable(in: desktop.folder)) ?? executable
        let text = Child.output(command, ["--version"], environment: desktop.environment) ?? ""
        return text.firstMatch(of: /\d+(\.\d+)+/).map { String($0.0) } ?? "unknown"
    }

    /// What to run.
    func command(_ desktop: Desktop) throws -> (name: String, arguments: [String]) {
        (try startable(in: desktop.folder), try arguments(desktop))
    }

    private func startable(in folder: String) throws -> String {
        executable == "vlc" && getuid() == 0 ? try copyForRoot(in: folder) : executable
    }

    /// VLC refuses to run as root. Returns a copy of the small program that starts it, which asks
    /// for another number instead of its user's.
    private func copyForRoot(in folder: String) throws -> String {
        guard let path, let program = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return executable }
        var copy = program
        while let range = copy.range(of: Data("geteuid".utf8)) {
            copy.replaceSubrange(range, with: Data("getppid".utf8))
        }
        let file = folder + "/" + executable
        try copy.write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
        return file
    }
}
