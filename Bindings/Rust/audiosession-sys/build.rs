//! Finds libaudiosession: in `AUDIOSESSION_LIB_DIR`, or by pkg-config, or builds it from the
//! source tree that contains this crate.

use std::env;
use std::io;
use std::os::unix::io::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MAJOR: &str = env!("CARGO_PKG_VERSION_MAJOR");
const MINOR: &str = env!("CARGO_PKG_VERSION_MINOR");
/// What the library needs itself, if it is linked statically.
const LIBRARIES_OF_STATIC: [&str; 2] = ["json-c", "m"];

/// The variables that decide what is found and built.
const VARIABLES: [&str; 13] = [
    "AUDIOSESSION_LIB_DIR",
    "DOCS_RS",
    "PKG_CONFIG",
    "PKG_CONFIG_PATH",
    "PKG_CONFIG_LIBDIR",
    "PKG_CONFIG_SYSROOT_DIR",
    "CC",
    "CFLAGS",
    "LDFLAGS",
    "CMAKE_GENERATOR",
    "CMAKE_PREFIX_PATH",
    "CMAKE_TOOLCHAIN_FILE",
    "CMAKE_BUILD_PARALLEL_LEVEL",
];

/// What the library is built from.
const SOURCES: [&str; 6] = [
    "CMakeLists.txt",
    "CMake",
    "Sources/CAudioSession",
    "Sources/CSessionSocket",
    "Sources/CSessionGate",
    "Sources/CRenderCore",
];

fn main() {
    for variable in VARIABLES {
        println!("cargo:rerun-if-env-changed={}", variable);
    }
    println!("cargo:rerun-if-changed=build.rs");
    // To document and check the crates, no library is needed.
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    if let Err(message) = find() {
        eprintln!("error: {}", message);
        std::process::exit(1);
    }
}

fn find() -> Result<(), String> {
    if let Some(folder) = env::var_os("AUDIOSESSION_LIB_DIR") {
        return use_folder(Path::new(&folder));
    }
    if env::var_os("HOST") != env::var_os("TARGET") {
        return Err("For another kind of machine, set AUDIOSESSION_LIB_DIR to the folder that contains \
                    its libaudiosession."
            .to_string());
    }
    let reason = match use_pkg_config() {
        Ok(()) => return Ok(()),
        Err(reason) => reason,
    };
    let tree = source_tree().ok_or_else(|| {
        format!(
            "libaudiosession {}.{} was not found ({}). Install it (Documentation/SessionsInC.md of \
             swift-audio-session), or set AUDIOSESSION_LIB_DIR to the folder that contains it.",
            MAJOR, MINOR, reason
        )
    })?;
    build(&tree)
}

fn use_folder(folder: &Path) -> Result<(), String> {
    // Cargo runs build scripts in the folder of the crate, which is hardly the one that was meant.
    if folder.is_relative() {
        return Err(format!(
            "AUDIOSESSION_LIB_DIR is '{}', which is a relative path. Set it to an absolute one.",
            folder.display()
        ));
    }
    if !link(folder) {
        return Err(format!(
            "AUDIOSESSION_LIB_DIR is '{}', which contains neither libaudiosession.so nor \
             libaudiosession.a. Set it to the folder that does, or unset it.",
            folder.display()
        ));
    }
    Ok(())
}

/// Links the library in a folder: the shared one if there is one. Returns whether there is any.
fn link(folder: &Path) -> bool {
    let (shared, archive) = (folder.join("libaudiosession.so"), folder.join("libaudiosession.a"));
    let library = if shared.exists() {
        println!("cargo:rustc-link-lib=dylib=audiosession");
        shared
    } else if archive.exists() {
        link_statically();
        archive
    } else {
        return false;
    };
    println!("cargo:rerun-if-changed={}", library.display());
    search(folder);
    true
}

/// Links the library that pkg-config finds.
fn use_pkg_config() -> Result<(), String> {
    // Before 1.0, each minor version has its own interface.
    let next = MINOR.parse::<u32>().map_or(0, |minor| minor + 1);
    let least = format!("audiosession >= {}.{}", MAJOR, MINOR);
    let below = format!("audiosession < {}.{}", MAJOR, next);
    pkg_config(&["--print-errors", "--exists", &least, &below])?;
    // One line, which may contain spaces. pkgconf writes a backslash before them.
    let folder = pkg_config(&["--variable=libdir", "audiosession"])?.replace("\\ ", " ");
    let folder = Path::new(folder.trim_end_matches('\n'));
    if link(folder) {
        Ok(())
    } else {
        Err(format!("the folder that pkg-config names, '{}', does not contain it", folder.display()))
    }
}

/// Runs pkg-config, and returns what it prints.
fn pkg_config(arguments: &[&str]) -> Result<String, String> {
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let output = Command::new(&program)
        .args(arguments)
        .output()
        .map_err(|error| format!("cannot run {}: {}", program.to_string_lossy(), error))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}", program.to_string_lossy(), errors.trim()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{}: {}", program.to_string_lossy(), error))
}

/// Returns the source tree that contains this crate, unless it was packaged.
fn source_tree() -> Option<PathBuf> {
    let tree = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../../..");
    let is_tree = tree.join("CMake/InstallSession.cmake").exists();
    if is_tree {
        tree.canonicalize().ok()
    } else {
        None
    }
}

/// Builds the static library, so that programs start without a library path.
fn build(tree: &Path) -> Result<(), String> {
    let output = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set; cargo sets it.")?;
    let folder = Path::new(&output).join("library");
    for source in SOURCES {
        println!("cargo:rerun-if-changed={}", tree.join(source).display());
    }
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(tree).arg("-B").arg(&folder);
    run(configure.args(["-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release"]))?;
    // CMake warns only, since the tree has other libraries.
    if !folder.join("audiosession.pc").exists() {
        return Err("libaudiosession cannot be built without json-c; install libjson-c-dev and pkg-config."
            .to_string());
    }
    run(Command::new("cmake").arg("--build").arg(&folder).args(["--target", "audiosession_static"]))?;
    link_statically();
    search(&folder);
    Ok(())
}

fn run(command: &mut Command) -> Result<(), String> {
    let description = format!("{:?}", command);
    // Cargo would read the standard output.
    let errors = io::stderr().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let status = command.stdin(Stdio::null()).stdout(errors).status().map_err(|error| {
        format!(
            "cannot run {}: {}. To build libaudiosession, install cmake, gcc, libjson-c-dev and pkg-config.",
            description, error
        )
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} failed: {}", description, status))
    }
}

fn link_statically() {
    println!("cargo:rustc-link-lib=static=audiosession");
    for library in LIBRARIES_OF_STATIC {
        println!("cargo:rustc-link-lib={}", library);
    }
}

fn search(folder: &Path) {
    println!("cargo:rustc-link-search=native={}", folder.display());
}
