internal import AudioSessionTypes

extension DeviceOverride {
    /// Returns whether the pattern matches the client's name, the port's full name, one of its
    /// aliases, or the id of its sound card.
    func covers(_ port: PortFacts, card: SoundCard?) -> Bool {
        let names = [port.client, port.name] + port.aliases + (card.map { [$0.id] } ?? [])
        let glob = Glob(pattern)
        return names.contains { glob.matches($0) }
    }
}
