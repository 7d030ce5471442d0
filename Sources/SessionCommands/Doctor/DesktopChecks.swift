internal import ArbiterService
internal import DesktopBridge

/// Checks that media keys and the desktop's media control can reach apps (REMOTE-1).
struct MediaControlCheck: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "media control"
        let settings = try? readServiceSettings(from: machine.root + machine.configuration).settings
        if settings?.servesMediaControl == false {
            return [.ok(check, "turned off by the setting desktop.media-control")]
        }
        switch machine.sessionBus() {
        case .absent(let reason):
            return [.ok(check, "not on a desktop (\(reason)); `audiosession remote` controls what plays")]
        case .unreachable(let reason):
            return [
                .warning(
                    check, "the session bus cannot be reached: \(reason)",
                    fix: "log in again, or unset DBUS_SESSION_BUS_ADDRESS if it is of an earlier session")
            ]
        case .reachable:
            guard machine.program("audiosession-mpris") != nil else {
                return [
                    .warning(
                        check,
                        "the program audiosession-mpris is missing, so that the desktop does not show what plays",
                        fix: "install it next to audiosessiond, or set AUDIOSESSION_MPRIS to its path")
                ]
            }
            return [.ok(check, "apps that handle media keys appear on the session bus")]
        }
    }
}
