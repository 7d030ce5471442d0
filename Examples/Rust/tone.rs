//! A plain JACK client that joins the audio session: a note that pauses for calls, is lowered
//! while others speak, and resumes with the very next frame.
//!
//! usage: `tone [SECONDS]`

mod jack;

use std::time::{Duration, Instant};

use audiosession::{Category, Error, Event, Mode, Options, Session};
use jack::{Client, Direction};

fn main() {
    let seconds = std::env::args().nth(1).and_then(|seconds| seconds.parse().ok());
    if let Err(error) = run(seconds.map(Duration::from_secs)) {
        eprintln!("tone: {error}");
        std::process::exit(1);
    }
}

fn run(duration: Option<Duration>) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::open("tone", "out", Direction::Output)?;
    let sample_rate = client.sample_rate();
    // [open]
    let mut session = Session::open_or_detached()?;
    if let Some(reason) = session.unavailable() {
        eprintln!("tone: plays without a session: {reason}");
    }
    let mut gate = session.gate().ok_or("the gate is in use")?;
    gate.set_sample_rate(sample_rate);
    session.set_category(Category::Playback, Mode::Default, Options::NONE)?;
    session.activate()?;
    session.set_playing(true)?;
    // [end]
    // With the crate `jack`, the callback has the same lines: its buffer is
    // `port.as_mut_slice(scope)`.
    // [callback]
    let step = std::f64::consts::TAU * 220.0 / f64::from(sample_rate);
    let mut phase = 0.0f64;
    let callback = move |samples: &mut [f32]| {
        let audible = gate.begin(samples.len() as u32) as usize; // none while paused
        let (sound, silence) = samples.split_at_mut(audible);
        for sample in sound {
            *sample = (0.2 * phase.sin() + 0.1 * (2.0 * phase).sin()) as f32;
            phase += step;
        }
        silence.fill(0.0);
        gate.apply([samples]); // fades, ducks, applies the volume
    };
    // [end]
    let player = client.activate(callback)?;
    player.connect_to_speakers();
    println!("tone: plays; Ctrl-C ends it");
    handle_events(&mut session, duration)?;
    drop(player); // and the gate with it, off the audio thread
    Ok(())
}

// [events]
fn handle_events(session: &mut Session, duration: Option<Duration>) -> Result<(), Error> {
    let end = duration.map(|duration| Instant::now() + duration);
    while end.map_or(true, |end| Instant::now() < end) {
        match session.wait(Duration::from_millis(500))? {
            Some(Event::InterruptionBegan { .. }) => println!("tone: interrupted"),
            Some(Event::InterruptionEnded { should_resume: true, .. }) => resume(session),
            // By a suspension, for example.
            Some(Event::Deactivated { .. }) => resume(session),
            _ => {} // no event, or one that needs no action here
        }
    }
    Ok(())
}

fn resume(session: &mut Session) {
    match session.activate() {
        Ok(()) => println!("tone: resumes"),
        Err(error) => eprintln!("tone: remains paused: {error}"), // a call, for example
    }
}
// [end]
