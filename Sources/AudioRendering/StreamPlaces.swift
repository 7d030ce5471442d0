/// Where the segments of a stream begin, from the one being played on.
struct StreamPlaces {
    struct Place {
        /// The frame of the stream that the segment begins with.
        var begin: UInt64
        var id: Int
        /// The frame of the reader that it begins with, and how many of them a frame of the stream
        /// lasts.
        var firstFrame: Int64
        var framesPerFrame: Double
    }

    private var places: [Place] = []
    /// The number of places in the array that have been reported, the current one included.
    private var passed = 0

    mutating func add(_ place: Place) {
        // The caller that starts the stream knows the first segment.
        if places.isEmpty, passed == 0 { passed = 1 }
        places.append(place)
    }

    /// The frame of the stream at which the next segment begins; nil if none is known.
    var next: UInt64? { places.indices.contains(passed) ? places[passed].begin : nil }

    /// Returns the segments that begin at or before `frame` and were not returned before, and
    /// forgets those before the current one.
    mutating func takePassed(_ frame: UInt64) -> [Int] {
        let first = passed
        while let next, next < frame { passed += 1 }
        guard passed > first else { return [] }
        let ids = places[first..<passed].map(\.id)
        places.removeFirst(passed - 1)
        passed = 1
        return ids
    }

    /// Returns the segment and frame after `frames` frames of the stream.
    func position(after frames: UInt64) -> StreamPosition {
        guard let place = places.last(where: { $0.begin <= frames }) ?? places.first else {
            return StreamPosition(id: 0, frame: 0)
        }
        let played = Double(frames - min(frames, place.begin)) * place.framesPerFrame
        return StreamPosition(id: place.id, frame: Double(place.firstFrame) + played)
    }
}
