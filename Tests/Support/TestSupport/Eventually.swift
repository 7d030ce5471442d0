public import Foundation

/// Whether it becomes so within `seconds`: for what tells nobody when it changes.
public func eventually(seconds: TimeInterval = 20, _ isSo: () throws -> Bool) rethrows -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !(try isSo()) {
        guard Date() < deadline else { return false }
        poll(nil, 0, 2)  // not at once: whoever is waited for may need this core
    }
    return true
}
