//! The declarations of this crate are those of the C headers: the C compiler compares every size,
//! offset, constant and signature.

use std::collections::BTreeSet;
use std::fs;
use std::mem::{size_of, MaybeUninit};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::addr_of;

use audiosession_sys::*;

const DECLARATIONS: &str = include_str!("../src/lib.rs");

fn include_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../Sources/CAudioSession/include")
}

/// Requires that the C compiler accepts these lines after the headers.
fn compile(name: &str, lines: &[String]) -> Result<(), String> {
    let source = std::env::temp_dir().join(format!("audiosession-{}-{}.c", name, std::process::id()));
    let text = format!(
        "#include <audiosession/audiosession.h>\n#include <stddef.h>\n{}\nint main(void) {{ return 0; }}\n",
        lines.join("\n")
    );
    fs::write(&source, text).unwrap();
    let result = Command::new("cc")
        .args(["-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-fsyntax-only", "-I"])
        .arg(include_folder())
        .arg(&source)
        .output()
        .expect("cc");
    fs::remove_file(&source).unwrap();
    if result.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&result.stderr).into_owned())
    }
}

fn equal(expression: &str, value: impl std::fmt::Display) -> String {
    format!("_Static_assert({expression} == {value}, \"{expression}\");")
}

/// Adds the size of a structure, and the offset and size of each member. A member that is missing
/// here changes the size or an offset, or is found by `members`.
macro_rules! structure {
    ($lines:ident, $names:ident, $structure:ident { $($member:ident $(as $name:literal)?),* }) => {
        $lines.push(equal(concat!("sizeof(", stringify!($structure), ")"), size_of::<$structure>()));
        let value = MaybeUninit::<$structure>::uninit();
        let base = value.as_ptr();
        $(
            #[allow(unused_mut, unused_assignments)]
            let mut name = stringify!($member);
            $(name = $name;)?
            // SAFETY: Only addresses within `value` are computed.
            let address = unsafe { addr_of!((*base).$member) };
            $lines.push(equal(
                &format!("offsetof({}, {})", stringify!($structure), name), address as usize - base as usize));
            $lines.push(equal(
                &format!("sizeof((({} *)0)->{})", stringify!($structure), name), size_of_target(address)));
            $names.insert(format!("{}.{}", stringify!($structure), stringify!($member)));
        )*
    };
}

fn size_of_target<T>(_: *const T) -> usize {
    size_of::<T>()
}

#[test]
fn structures() {
    let (mut lines, mut names) = (Vec::new(), BTreeSet::new());
    structure!(lines, names, asession_error_t { status, message, code, rule, by });
    structure!(
        lines,
        names,
        asession_state_t {
            activity,
            is_connected,
            is_other_audio_playing,
            secondary_audio_should_be_silenced,
            is_input_available,
            is_in_call,
            volume
        }
    );
    structure!(lines, names, asession_event_t { kind, flag, value, reason, rule, by, command });
    structure!(
        lines,
        names,
        asession_gate_state_t {
            is_paused,
            is_muted,
            is_input_granted,
            attenuation,
            volume,
            fade_ms,
            duck_attack_ms,
            duck_release_ms,
            volume_ramp_ms
        }
    );
    structure!(lines, names, asession_port_t { uid, name, type_ as "type", channels });
    structure!(
        lines,
        names,
        asession_now_playing_t {
            playback_state,
            track_identifier,
            title,
            artist,
            album,
            artwork_url,
            duration,
            position,
            rate,
            is_shuffled,
            repeat_mode
        }
    );
    assert_eq!(compile("structures", &lines), Ok(()));
    assert_eq!(names, members(), "all members are compared");
    lines[0] = equal("sizeof(asession_error_t)", size_of::<asession_error_t>() + 1);
    assert!(compile("wrong-structures", &lines).is_err(), "an injected fault is found");
}

/// The members of all structures that are declared here.
fn members() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut structure = None;
    for line in DECLARATIONS.lines() {
        if let Some(rest) = line.strip_prefix("pub struct ") {
            structure = rest.strip_suffix(" {");
        } else if let (Some(structure), Some(rest)) = (structure, line.strip_prefix("    pub ")) {
            if let Some((member, _)) = rest.split_once(": ") {
                found.insert(format!("{structure}.{member}"));
            }
        } else if line == "}" {
            structure = None;
        }
    }
    found
}

#[test]
fn constants() {
    let mut lines = Vec::new();
    let mut names = BTreeSet::new();
    for line in DECLARATIONS.lines() {
        if let Some((name, value)) = line.strip_prefix("pub const ").and_then(|rest| rest.split_once(": ")) {
            let value = value.split_once("= ").and_then(|(_, value)| value.strip_suffix(';')).unwrap();
            lines.push(equal(name, value));
            names.insert(name.to_string());
        } else if let Some(name) =
            line.strip_prefix("pub type asession_").and_then(|rest| rest.strip_suffix(" = c_uint;"))
        {
            lines.push(equal(&format!("sizeof(asession_{name})"), size_of::<c_uint>()));
            lines.push(format!("_Static_assert((asession_{name})-1 > 0, \"asession_{name} is unsigned\");"));
        }
    }
    assert_eq!(compile("constants", &lines), Ok(()));
    let declared: BTreeSet<String> = headers()
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.trim().strip_prefix("ASESSION_").and_then(|rest| rest.split_once(" = ")))
        .map(|(name, _)| format!("ASESSION_{name}"))
        .collect();
    assert_eq!(names, declared);
    lines.push(equal("ASESSION_OK", 1));
    assert!(compile("wrong-constants", &lines).is_err(), "an injected fault is found");
}

#[test]
fn functions() {
    let mut lines = Vec::new();
    let mut names = BTreeSet::new();
    for line in DECLARATIONS.lines().filter_map(|line| line.strip_prefix("    pub fn ")) {
        let (name, rest) = line.strip_suffix(';').unwrap().split_once('(').unwrap();
        let (arguments, result) = rest.split_once(')').unwrap();
        let mut arguments: Vec<String> = arguments
            .split_terminator(", ")
            .map(|argument| c_type(argument.split_once(": ").unwrap().1))
            .collect();
        if arguments.is_empty() {
            arguments.push("void".to_string());
        }
        let result = result.strip_prefix(" -> ").map_or("void".to_string(), c_type);
        lines.push(format!("{} (*const check_{})({}) = {};", result, name, arguments.join(", "), name));
        names.insert(name.to_string());
    }
    assert_eq!(compile("functions", &lines), Ok(()));
    let texts = headers();
    let declared: BTreeSet<String> =
        texts.iter().flat_map(|text| text.lines()).filter_map(declared_function).collect();
    assert_eq!(names, declared);
    lines.push("uint64_t (*const check)(asession_t *) = asession_id;".to_string());
    assert!(compile("wrong-functions", &lines).is_err(), "an injected fault is found");
}

/// The crates have the version of the library.
#[test]
fn version() {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let library = fs::read_to_string(tree.join("CMakeLists.txt")).unwrap();
    let expected = format!("project(swift-audio-session VERSION {} ", env!("CARGO_PKG_VERSION"));
    assert!(library.contains(&expected), "{expected}");
    let safe = fs::read_to_string(tree.join("Bindings/Rust/audiosession/Cargo.toml")).unwrap();
    assert!(safe.contains(concat!("\nversion = \"", env!("CARGO_PKG_VERSION"), "\"\n")));
}

/// Returns the C type of a type of this crate.
fn c_type(name: &str) -> String {
    if let Some(target) = name.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    if let Some(target) = name.strip_prefix("*const ") {
        // `*const *mut f32` is `float *const *`.
        return match target.starts_with('*') {
            true => format!("{}const *", c_type(target)),
            false => format!("const {} *", c_type(target)),
        };
    }
    match name {
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "f32" => "float",
        "f64" => "double",
        other => other,
    }
    .to_string()
}

fn headers() -> Vec<String> {
    fs::read_dir(include_folder().join("audiosession"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect()
}

/// Returns the function that a line of a header begins to declare.
fn declared_function(line: &str) -> Option<String> {
    if line.starts_with(&[' ', '/', '#', '}'][..]) || line.starts_with("typedef") {
        return None;
    }
    let before = line.split_once('(')?.0;
    Some(before.rsplit(&[' ', '*'][..]).next()?.to_string()).filter(|name| name.starts_with("asession_"))
}
