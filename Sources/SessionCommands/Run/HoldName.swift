/// The name of a process of `audiosession` that holds a session, from its command line.
struct HoldName {
    /// "run: espeak", "duck", "pause".
    let text: String

    /// The longest part of a command's name that is shown.
    private static let longest = 40

    /// Returns nil unless the program is `audiosession` with such a command. Reads the arguments
    /// only of that program.
    init?(program: String, _ arguments: () -> [String]?) {
        guard program.split(separator: "/").last == "audiosession", let words = arguments(), words.count > 1 else {
            return nil
        }
        switch words[1] {
        case "duck", "pause": text = words[1]
        case "run":
            guard let end = words.firstIndex(of: "--"), end + 1 < words.count,
                let name = words[end + 1].split(separator: "/").last
            else { return nil }
            text = "run: \(name.prefix(Self.longest))"
        default: return nil
        }
    }
}
