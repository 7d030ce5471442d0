/// Suggests a known name for an unknown one that may be a misspelling.
enum KeyNames {
    /// Returns the known name with the lowest edit distance; nil if the distance exceeds both 2 and
    /// a third of the name's length.
    static func nearest(to name: String, among known: some Collection<String>) -> String? {
        let limit = max(2, name.count / 3)
        // The distance is at least the difference of the lengths.
        let rated = known.filter { abs($0.count - name.count) <= limit }.map { (distance(name, $0), $0) }
        return rated.filter { $0.0 <= limit }.min(by: <)?.1
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
