import Foundation

/// A temporary folder, which is deleted with this object.
final class TestFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("midi-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names of the files in the folder.
    func entries() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
