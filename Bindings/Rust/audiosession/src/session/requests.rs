//! The requests of a session.

use std::ptr;

use audiosession_sys as sys;

use super::Session;
use crate::text;
use crate::{
    Category, Command, Error, ErrorKind, Mode, NowPlaying, Options, Preference, RouteSharingPolicy,
    WebElements, WebType,
};

type PlainRequest =
    unsafe extern "C" fn(*mut sys::asession_t, *mut sys::asession_error_t) -> sys::asession_status_t;
type FlagRequest =
    unsafe extern "C" fn(*mut sys::asession_t, bool, *mut sys::asession_error_t) -> sys::asession_status_t;

impl Session {
    /// Sends a request, unless this is a forked child process.
    pub(super) fn call<R>(
        &mut self,
        call: impl FnOnce(*mut sys::asession_t, *mut sys::asession_error_t) -> R,
    ) -> Result<(R, sys::asession_error_t), Error> {
        if !self.handle.is_of_this_process() {
            let message =
                "The session belongs to the process from which this one was forked; open another one.";
            return Err(Error::new(ErrorKind::BadArgument, message.to_string()));
        }
        let session = self.handle.session();
        Ok(Error::of_call(|error| call(session, error)))
    }

    fn send(
        &mut self,
        call: impl FnOnce(*mut sys::asession_t, *mut sys::asession_error_t) -> sys::asession_status_t,
    ) -> Result<(), Error> {
        match self.call(call)? {
            (sys::ASESSION_OK, _) => Ok(()),
            (_, error) => Err(Error::from_c(&error)),
        }
    }

    /// Sends a request without arguments. The function is one of the library's.
    fn send_plain(&mut self, function: PlainRequest) -> Result<(), Error> {
        self.send(|session, error| {
            // SAFETY: The session is null or valid, and used by this thread alone. The error
            // exists during the call. So it is in all requests.
            unsafe { function(session, error) }
        })
    }

    /// Sends a request with one flag. The function is one of the library's.
    fn send_flag(&mut self, function: FlagRequest, flag: bool) -> Result<(), Error> {
        self.send(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe { function(session, flag, error) }
        })
    }

    /// Sets the category, the mode and the options together; options that are not given are
    /// cleared. The route-sharing policy becomes the default.
    ///
    /// # Errors
    ///
    /// Refused if they do not fit together, or, while the session is active, by a session of
    /// higher priority.
    pub fn set_category(&mut self, category: Category, mode: Mode, options: Options) -> Result<(), Error> {
        let (category, mode) = (category.to_c(), mode.to_c());
        self.send(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe { sys::asession_set_category(session, category, mode, options.bits(), error) }
        })
    }

    /// Sets the category, the mode and the options of a type of the W3C's Audio Session API.
    /// [`WebType::Auto`] becomes that of the elements of the page.
    ///
    /// # Errors
    ///
    /// Those of [`set_category`](Self::set_category).
    pub fn set_web_type(&mut self, web_type: WebType, elements: WebElements) -> Result<(), Error> {
        let web_type = web_type.to_c();
        self.send(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe { sys::asession_set_web_type(session, web_type, elements.bits(), error) }
        })
    }

    /// The same as `set_category` with a route-sharing policy.
    ///
    /// # Errors
    ///
    /// Those of [`set_category`](Self::set_category).
    pub fn set_category_and_policy(
        &mut self,
        category: Category,
        mode: Mode,
        policy: RouteSharingPolicy,
        options: Options,
    ) -> Result<(), Error> {
        let (category, mode, policy) = (category.to_c(), mode.to_c(), policy.to_c());
        self.send(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe {
                sys::asession_set_category_and_policy(session, category, mode, policy, options.bits(), error)
            }
        })
    }

    /// States a preference for the audio hardware; 0 clears it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadArgument`] for a value that is negative or no number, and others.
    pub fn prefer(&mut self, preference: Preference, value: f64) -> Result<(), Error> {
        self.send(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe { sys::asession_prefer(session, preference.to_c(), value, error) }
        })
    }

    /// Activates the session: others are interrupted or lowered, as its category says.
    ///
    /// # Errors
    ///
    /// Refused while a session of higher priority, such as a call, is active.
    pub fn activate(&mut self) -> Result<(), Error> {
        self.send_plain(sys::asession_activate)
    }

    /// Activates the session, or has it wait until the session that prevents that has ended: then
    /// [`Event::Activated`](crate::Event::Activated) reports that it is active (ACT-14).
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn request_activation(&mut self) -> Result<(), Error> {
        self.send_plain(sys::asession_request_activation)
    }

    /// Deactivates the session, and notifies the sessions that it has interrupted, which may
    /// resume.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn deactivate(&mut self) -> Result<(), Error> {
        self.send_flag(sys::asession_deactivate, true)
    }

    /// Deactivates the session. Others are not notified, and do not resume by themselves.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn deactivate_silently(&mut self) -> Result<(), Error> {
        self.send_flag(sys::asession_deactivate, false)
    }

    /// States that the session begins or ceases to play. An active session that does not play for
    /// a while no longer lowers others or keeps them waiting (ACT-17).
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn set_playing(&mut self, is_playing: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_set_playing, is_playing)
    }

    /// States that the session is paused part-way: it remains in use, so that others are kept
    /// waiting (ACT-17), but no longer lowers them.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn set_paused(&mut self, is_paused: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_set_paused, is_paused)
    }

    /// States that the session begins or ceases to take input. To begin activates it (ACT-15).
    ///
    /// # Errors
    ///
    /// Refused while the microphone is muted in hardware (INT-10), and as
    /// [`activate`](Self::activate).
    pub fn set_recording(&mut self, is_recording: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_set_recording, is_recording)
    }

    /// Silences the session, which continues (VOL-3);
    /// [`Event::OutputMuteChanged`](crate::Event::OutputMuteChanged) reports it.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn set_output_muted(&mut self, is_muted: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_set_output_muted, is_muted)
    }

    /// Has a session with [`Options::DUCK_OTHERS`] lower others only while it is audible, instead
    /// of for as long as it is active (DUCK-2). [`Gate::apply`](crate::Gate::apply) finds out
    /// whether it is, from the samples: others are lowered in the cycle in which one exceeds the
    /// threshold, or in the next.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn set_ducks_only_while_audible(&mut self, is_on: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_set_ducks_only_while_audible, is_on)
    }

    /// States that a call should not interrupt the session while it only rings (INT-6).
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn prefer_no_interruptions_from_system_alerts(&mut self, prefers: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_prefer_no_interruptions_from_system_alerts, prefers)
    }

    // ---- Routes and recording

    /// Prefers an input, by its [`uid`](crate::Port::uid), to newer ones while it is available
    /// (ROUTE-6); `None`: the arbiter chooses.
    ///
    /// # Errors
    ///
    /// Refused if no available input has this uid.
    pub fn prefer_input(&mut self, uid: Option<&str>) -> Result<(), Error> {
        let uid = uid.map(|uid| text::to_c(uid, "The input's uid")).transpose()?;
        let pointer = uid.as_ref().map_or(ptr::null(), |uid| uid.as_ptr().cast());
        self.send(|session, error| {
            // SAFETY: As in `send_plain`; `uid` exists until the call returns.
            unsafe { sys::asession_prefer_input(session, pointer, error) }
        })
    }

    /// Plays to the speaker instead of the receiver or headphones, until the route changes or the
    /// session is interrupted (ROUTE-5); `false` ends that. For [`Category::PlayAndRecord`].
    ///
    /// # Errors
    ///
    /// Refused for other categories.
    pub fn override_output_to_speaker(&mut self, overrides: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_override_output_to_speaker, overrides)
    }

    /// States that the session should be interrupted when the output that it plays to is
    /// unplugged (ROUTE-4), which is so initially, or else go on elsewhere.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn prefer_interruption_on_route_disconnect(&mut self, prefers: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_prefer_interruption_on_route_disconnect, prefers)
    }

    /// States what the user has answered; if there is an answer already, does nothing (PERM-2). A
    /// program that does not ask its user answers `true`, before it records or when
    /// [`Event::RecordPermissionNeeded`](crate::Event::RecordPermissionNeeded) asks for it.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn answer_record_permission(&mut self, is_granted: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_answer_record_permission, is_granted)
    }

    /// Silences the input of all sessions of the program, without an interruption (PERM-4).
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn set_input_muted(&mut self, is_muted: bool) -> Result<(), Error> {
        self.send_flag(sys::asession_set_input_muted, is_muted)
    }

    // ---- Remote control

    /// States which remote commands the session handles (REMOTE-1). They arrive as
    /// [`Event::RemoteCommand`](crate::Event::RemoteCommand).
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn set_remote_commands(&mut self, commands: impl IntoIterator<Item = Command>) -> Result<(), Error> {
        let bits = commands.into_iter().fold(0, |bits, command| bits | 1 << command.to_c());
        self.send(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe { sys::asession_set_remote_commands(session, bits, error) }
        })
    }

    /// Publishes what the session plays (REMOTE-3); `None`: nothing. Call it when something has
    /// changed or after a jump, not for each second.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadArgument`] for a text that contains a null character, and for a duration,
    /// position or rate that is not from 0 to 1e9; and those of the connection.
    pub fn set_now_playing(&mut self, now_playing: Option<&NowPlaying>) -> Result<(), Error> {
        let mut set = |now_playing: *const sys::asession_now_playing_t| {
            self.send(|session, error| {
                // SAFETY: As in `send_plain`; the structure and its texts exist during the call.
                unsafe { sys::asession_set_now_playing(session, now_playing, error) }
            })
        };
        match now_playing {
            Some(now_playing) => now_playing.with_c(|structure| set(structure))?,
            None => set(ptr::null()),
        }
    }

    /// States that the user has paused the session: it is not resumed after an interruption.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub fn user_paused(&mut self) -> Result<(), Error> {
        self.send_plain(sys::asession_user_paused)
    }

    // ---- Explanations and other requests

    /// Explains, in English sentences, why the session is as it is: paused, lowered, without
    /// input; because of which program, and by which rule (ACT-13).
    ///
    /// # Errors
    ///
    /// Those of the connection; fails for a session that is [detached](Self::detached).
    pub fn why(&mut self) -> Result<String, Error> {
        self.text(|session, error| {
            // SAFETY: As in `send_plain`.
            unsafe { sys::asession_why(session, error) }
        })
    }

    /// Sends a request of the protocol, an object in JSON, and returns the reply to it. For all
    /// that has no method here: the log, the report of all sessions, the switches of the device.
    ///
    /// `Documentation/Protocol.md` describes the requests. The library fills in `serial`; where
    /// `session` or `app` is 0, it fills in the number of this session or program. What a request
    /// sets in this way is not set again if an arbiter does not know the session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadArgument`] for text that is no object, and for requests that concern the
    /// connection; fails for a session that is [detached](Self::detached).
    pub fn request(&mut self, json: &str) -> Result<String, Error> {
        let json = text::to_c(json, "The request")?;
        self.text(|session, error| {
            // SAFETY: As in `send_plain`; `json` exists until the call returns.
            unsafe { sys::asession_request(session, json.as_ptr().cast(), error) }
        })
    }

    /// Sends a request whose reply is a text.
    fn text(
        &mut self,
        call: impl FnOnce(*mut sys::asession_t, *mut sys::asession_error_t) -> *mut sys::c_char,
    ) -> Result<String, Error> {
        if let Some(reason) = self.unavailable() {
            return Err(reason.clone());
        }
        let (reply, error) = self.call(call)?;
        if reply.is_null() {
            return Err(Error::from_c(&error));
        }
        // SAFETY: The library returns a text, which belongs to the caller.
        let text = unsafe { text::from_pointer(reply) };
        // SAFETY: It is freed once.
        unsafe { sys::asession_free(reply) };
        Ok(text)
    }
}
