/// What adoption does after a time.
extension Adopter {
    package mutating func timerEnded(_ timer: AdoptionTimer) {
        switch timer {
        case .pause(let number):
            guard let key = key(where: { $0.pause == .timed(number) }) else { return }
            programs[key]?.pause = .over
            reconsider(key)
        case .fade(let number):
            guard let key = key(where: { $0.hold?.timer == number }) else { return }
            programs[key]?.hold?.fading = []
            reconsider(key)
        case .answer(let number):
            guard let key = key(where: { $0.hold?.pending.values.contains(number) == true }),
                let player = programs[key]?.hold?.pending.first(where: { $0.value == number })?.key
            else { return }
            // One that still plays is asked again, or its streams stay held. It may report late
            // that it is paused, so this is not the user.
            programs[key]?.hold?.pending[player] = nil
            reconsider(key)
        case .registration(let number):
            guard let key = key(where: { $0.registrationTimer == number }) else { return }
            programs[key]?.registrationTimer = nil
            reconsider(key)
        case .orphan(let number):
            guard let key = key(where: { $0.hold?.orphanTimer == number }) else { return }
            programs[key]?.hold?.orphanTimer = nil
            if isOrphan(key) { endHold(key, plays: true) }
            reconsider(key)
        case .detection(let stream):
            guard undetected.remove(stream) != nil, let key = key(of: stream) else { return }
            reconsider(key)
        case .recovery: recover { $0.isTimed = false }
        }
    }

    private func key(where matches: (ForeignProgram) -> Bool) -> ProgramKey? {
        programs.first { matches($0.value) }?.key
    }
}
