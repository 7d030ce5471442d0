public import Foundation

/// Polls until the condition holds, for conditions that give no notice of their changes. Returns
/// false after `seconds`.
public func eventually(seconds: TimeInterval = 20, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !(try condition()) {
        guard Date() < deadline else { return false }
        poll(nil, 0, 2)  // not a busy loop: the process that changes it may need this core
    }
    return true
}
