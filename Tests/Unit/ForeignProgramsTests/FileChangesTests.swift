import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ForeignPrograms

/// Changes of settings files, as editors make them.
@Suite struct FileChangesTests {
    private let folder: TemporaryDirectory
    private let queue = DispatchQueue(label: "file changes")

    init() throws { folder = try TemporaryDirectory() }

    /// Watches a file, and records its content after each change.
    private func watch(_ path: String) throws -> (FileChanges, EventLog<String>) {
        let contents = EventLog<String>()
        let changes = try #require(
            FileChanges(of: [path], on: queue) {
                contents.note((try? String(contentsOfFile: path, encoding: .utf8)) ?? "none")
            })
        return (changes, contents)
    }

    @Test("A file is written, replaced, removed and created again")
    func changes() throws {
        let path = folder.file("a.yaml")
        let other = try TemporaryDirectory()
        try "1".write(toFile: path, atomically: false, encoding: .utf8)
        let (changes, contents) = try watch(path)
        try "2".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(contents.wait { $0.last == "2" })
        try "3".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(contents.wait { $0.last == "3" })
        // Only the name that it takes is in the folder.
        try "moved".write(toFile: other.file("b.yaml"), atomically: true, encoding: .utf8)
        #expect(rename(other.file("b.yaml"), path) == 0)
        #expect(contents.wait { $0.last == "moved" })
        try FileManager.default.removeItem(atPath: path)
        #expect(contents.wait { $0.last == "none" })
        try "4".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(contents.wait { $0.last == "4" })
        withExtendedLifetime(changes) {}
    }

    @Test("Its folders appear, vanish and appear again")
    func folders() throws {
        let parent = folder.file("config/audiosession")
        let (changes, contents) = try watch(parent + "/a.yaml")
        for text in ["1", "2"] {
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try text.write(toFile: parent + "/a.yaml", atomically: true, encoding: .utf8)
            #expect(contents.wait { $0.last == text })
            try FileManager.default.removeItem(atPath: folder.file("config"))
            #expect(contents.wait { $0.last == "none" })
        }
        withExtendedLifetime(changes) {}
    }

    @Test("The target of a symbolic link changes")
    func link() throws {
        let (path, target) = (folder.file("config/a.yaml"), folder.file("dotfiles/a.yaml"))
        for name in ["config", "dotfiles"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try "1".write(toFile: target, atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        let (changes, contents) = try watch(path)
        try "2".write(toFile: target, atomically: true, encoding: .utf8)
        #expect(contents.wait { $0.last == "2" })
        withExtendedLifetime(changes) {}
    }

    @Test("A folder above is moved away, and another one takes its place")
    func movedAbove() throws {
        let path = folder.file("home/config/a.yaml")
        let (changes, contents) = try watch(path)
        for text in ["1", "2"] {
            try FileManager.default.createDirectory(
                atPath: folder.file("home/config"), withIntermediateDirectories: true)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(contents.wait { $0.last == text })
            #expect(rename(folder.file("home"), folder.file("old" + text)) == 0)
            #expect(contents.wait { $0.last == "none" })
        }
        withExtendedLifetime(changes) {}
    }

    @Test("A file becomes readable; other files, and many writes, cause few reports")
    func reports() throws {
        let path = folder.file("config/a.yaml")
        try FileManager.default.createDirectory(atPath: folder.file("config"), withIntermediateDirectories: true)
        try "1".write(toFile: path, atomically: false, encoding: .utf8)
        let (changes, contents) = try watch(path)
        for number in 0..<50 {
            try "x".write(toFile: folder.file("other\(number)"), atomically: false, encoding: .utf8)
            try "x".write(toFile: folder.file("config/other"), atomically: true, encoding: .utf8)
        }
        #expect(chmod(path, 0o600) == 0)
        #expect(contents.wait { $0 == ["1"] })
        for number in 0..<50 { try "\(number)".write(toFile: path, atomically: true, encoding: .utf8) }
        #expect(contents.wait { $0.last == "49" && $0.count < 10 })
        withExtendedLifetime(changes) {}
    }
}
