//! Lowers what other programs play while a command runs, such as one that speaks.
//!
//! usage: `prompt COMMAND [ARGUMENT]...`

use std::error::Error;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use audiosession::{Category, Event, Mode, Options, Session};

// [speak]
/// Returns how the command has ended.
fn speak(command: &mut Command) -> Result<ExitStatus, Box<dyn Error>> {
    let mut session = Session::open_or_detached()?;
    session.set_category(Category::Playback, Mode::VoicePrompt, Options::DUCK_OTHERS)?;
    session.activate()?; // refused while the user telephones
    session.set_playing(true)?;
    let mut speaker = command.spawn()?;
    loop {
        if let Some(status) = speaker.try_wait()? {
            return Ok(status); // dropping the session notifies the others
        }
        // Also dispatches, so that the arbiter does not regard the program as hung.
        match session.wait(Duration::from_millis(20)) {
            Ok(Some(Event::InterruptionBegan { .. })) => {
                println!("prompt: interrupted");
                speaker.kill()?;
            }
            Ok(_) => {} // no event, or one that needs no action here
            Err(error) => {
                speaker.kill()?;
                speaker.wait()?;
                return Err(error.into());
            }
        }
    }
}
// [end]

fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (program, arguments) = match arguments.split_first() {
        Some(split) => split,
        None => {
            eprintln!("usage: prompt COMMAND [ARGUMENT]...");
            std::process::exit(64);
        }
    };
    let status = match speak(Command::new(program).args(arguments)) {
        Ok(status) => status.code().unwrap_or(1),
        Err(error) => {
            eprintln!("prompt: {error}");
            1
        }
    };
    std::process::exit(status);
}
