import ArbiterService
import DesktopBridge

extension DesktopSettings {
    /// What is followed.
    var sources: Set<DesktopSource> {
        var sources: Set<DesktopSource> = []
        if reportsSleep { sources.insert(.sleep) }
        if lock != .ignore { sources.insert(.lock) }
        if reportsCalls { sources.insert(.calls) }
        if reportsDoNotDisturb { sources.insert(.doNotDisturb) }
        return sources
    }
}
