/// Suggests a known name for an unknown one that may be a misspelling.
enum KeyNames {
    /// Returns the known name with the lowest edit distance; nil if the distance exceeds both 2 and
    /// a third of the name's length.
    static func nearest(to name: String, among known: some Collection<String>) -> String? {
        let rated = known.map { (name: $0, distance: distance(name, $0)) }
        let best = rated.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let best, best.distance <= max(2, name.count / 3) else { return nil }
        return best.name
    }

    /// Returns the setting with the nearest key, first in the section, then in the others.
    static func nearestSetting(to key: String, in section: String) -> Setting? {
        for settings in [Setting.all.filter { $0.section == section }, Setting.all] {
            if let near = nearest(to: key, among: settings.map(\.key)) {
                return settings.first { $0.key == near }
            }
        }
        return nil
    }

    /// Returns the edit distance: the number of letters to insert, delete or replace.
    static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
