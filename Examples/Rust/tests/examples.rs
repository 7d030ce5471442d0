//! The examples, as programs at a real arbiter; the tone at a real JACK server.

#[allow(dead_code)] // not all functions are for tests
#[path = "../jack.rs"]
mod jack;
#[path = "../../../Bindings/Rust/audiosession/tests/support/mod.rs"]
mod support;

use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use audiosession::{Category, Mode, Options, Session};
use jack::{Client, Direction};
use support::{eventually, Arbiter, PATIENCE};

const PROMPT: &str = env!("CARGO_BIN_EXE_prompt");
const TONE: &str = env!("CARGO_BIN_EXE_tone");

/// A program that ends with the test, and its output.
struct Program {
    child: Child,
    output: PathBuf,
}

impl Program {
    fn start(arbiter: &Arbiter, program: &str, arguments: &[&str]) -> Self {
        let name = Path::new(program).file_name().unwrap().to_string_lossy();
        let output = arbiter.folder.join(format!("{name}.output"));
        let file = File::create(&output).unwrap();
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        Self { child, output }
    }

    fn output(&self) -> String {
        let mut text = String::new();
        File::open(&self.output).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn expect(&self, line: &str) {
        assert!(eventually(|| self.output().lines().any(|each| each == line)), "{line}: {}", self.output());
    }

    fn wait(&mut self) -> Option<i32> {
        let mut status = None;
        eventually(|| {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.and_then(|status| status.code())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn await_playing(arbiter: &Arbiter) {
    assert!(eventually(|| arbiter.command(&["status", "--json"]).contains("\"playing\":true")));
}

/// The prompt lowers others while its command runs, and no longer.
#[test]
fn prompt() {
    let arbiter = Arbiter::new();
    let mut music = Session::open().unwrap();
    music.set_category(Category::Playback, Mode::Default, Options::NONE).unwrap();
    music.activate().unwrap();
    music.set_playing(true).unwrap();
    let mut gate = music.gate().unwrap();
    let spoken = arbiter.folder.join("spoken");
    let script = "while ! [ -e \"$0\" ]; do sleep 0.01; done; exit 7";
    let mut prompt = Program::start(&arbiter, PROMPT, &["sh", "-c", script, spoken.to_str().unwrap()]);
    assert!(eventually(|| gate.read().attenuation > 0.0), "{}", prompt.output());
    fs::write(spoken, "").unwrap();
    assert_eq!(prompt.wait(), Some(7));
    assert!(eventually(|| gate.read().attenuation == 0.0));
}

#[test]
fn prompt_interrupted() {
    let arbiter = Arbiter::new();
    let mut prompt = Program::start(&arbiter, PROMPT, &["sleep", "1000"]);
    await_playing(&arbiter);
    arbiter.command(&["call", "ring"]);
    prompt.expect("prompt: interrupted");
    assert_eq!(prompt.wait(), Some(1));
    // While the call rings, another one is refused.
    let mut refused = Program::start(&arbiter, PROMPT, &["true"]);
    assert_eq!(refused.wait(), Some(1));
    assert!(refused.output().contains("call"), "{}", refused.output());
}

#[test]
fn prompt_without_arbiter() {
    let arbiter = Arbiter::missing();
    assert_eq!(Program::start(&arbiter, PROMPT, &["true"]).wait(), Some(0));
    assert_eq!(Program::start(&arbiter, PROMPT, &[]).wait(), Some(64));
    let mut missing = Program::start(&arbiter, PROMPT, &["/missing"]);
    assert_eq!(missing.wait(), Some(1));
    assert!(missing.output().contains("No such file"), "{}", missing.output());
}

/// Starts a JACK server without a sound card, which ends with the test.
fn start_jack(arbiter: &Arbiter) -> Program {
    const NAME: &str = "audio-test-1";
    std::env::set_var("JACK_DEFAULT_SERVER", NAME);
    std::env::set_var("JACK_NO_AUDIO_RESERVATION", "1");
    // It reports that it is ready as it would to systemd.
    let path = arbiter.folder.join("ready");
    let ready = UnixDatagram::bind(&path).unwrap();
    ready.set_read_timeout(Some(PATIENCE)).unwrap();
    std::env::set_var("NOTIFY_SOCKET", &path);
    let arguments = ["-n", NAME, "-S", "-d", "dummy", "-r", "48000", "-p", "256"];
    let server = Program::start(arbiter, "jackd", &arguments);
    std::env::remove_var("NOTIFY_SOCKET");
    assert!(ready.recv(&mut [0; 256]).is_ok(), "{}", server.output());
    server
}

/// The tone is silent while a call rings, and goes on with the next sample.
#[test]
fn tone() {
    let arbiter = Arbiter::new();
    let _server = start_jack(&arbiter);
    let sound = Arc::new(Mutex::new(Vec::<f32>::with_capacity(4_800_000)));
    let recorded = Arc::clone(&sound);
    let probe = Client::open("probe", "in", Direction::Input)
        .unwrap()
        .activate(move |samples| recorded.lock().unwrap().extend_from_slice(samples))
        .unwrap();
    let tone = Program::start(&arbiter, TONE, &[]);
    tone.expect("tone: plays; Ctrl-C ends it");
    assert!(eventually(|| probe.connect_from("tone:out")));
    let await_frames = |count: usize| {
        let end = sound.lock().unwrap().len() + count;
        assert!(eventually(|| sound.lock().unwrap().len() > end));
    };
    await_frames(10_000);
    arbiter.command(&["call", "ring"]);
    tone.expect("tone: interrupted");
    await_frames(4_000);
    arbiter.command(&["call", "decline"]);
    tone.expect("tone: resumes");
    await_frames(10_000);
    drop(probe);
    drop(tone); // kills it
    let mut tone = Program::start(&arbiter, TONE, &["0"]);
    assert_eq!(tone.wait(), Some(0), "{}", tone.output());

    let sound = sound.lock().unwrap();
    let begin = sound.iter().position(|&sample| sample != 0.0).unwrap();
    let end = sound.iter().rposition(|&sample| sample != 0.0).unwrap();
    let pause = longest_silence(&sound[begin..end]);
    let pause = pause.start + begin..pause.end + begin;
    assert!(pause.len() > 256, "{pause:?}");
    // Without the pause, it is the periodic tone, but for the two ramps of 5 ms: 220 Hz repeats
    // after 2,400 frames. The last frame of the fade-out has a gain of 0.
    let (ramp, period) = (480, 2_400);
    let shift = pause.len() - 1 + 2 * period;
    let before = pause.start - ramp - period..pause.start - ramp;
    assert!(before.start > begin && sound.len() > pause.end + 3 * period);
    for frame in before {
        assert!((sound[frame + shift] - sound[frame]).abs() < 1e-3, "the frame {frame} of {pause:?}");
    }
}

#[test]
fn tone_without_server() {
    let arbiter = Arbiter::new();
    std::env::set_var("JACK_DEFAULT_SERVER", "audio-test-2");
    let mut tone = Program::start(&arbiter, TONE, &["1"]);
    assert_eq!(tone.wait(), Some(1));
    assert!(tone.output().contains("no JACK server runs"), "{}", tone.output());
}

fn longest_silence(samples: &[f32]) -> Range<usize> {
    let (mut longest, mut begin) = (0..0, 0);
    for (index, &sample) in samples.iter().enumerate() {
        if sample != 0.0 {
            begin = index + 1;
        } else if index + 1 - begin > longest.len() {
            longest = begin..index + 1;
        }
    }
    longest
}
