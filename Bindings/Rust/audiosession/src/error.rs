//! Why a call has failed.

use std::fmt;
use std::mem::MaybeUninit;

use audiosession_sys as sys;

use crate::text;

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is out of range: correct the call.
    BadArgument,
    /// Out of memory or file descriptors.
    NoMemory,
    /// No arbiter is running, and none could be started: install `audiosessiond`, or play without
    /// a session ([`Session::open_or_detached`](crate::Session::open_or_detached)).
    NoArbiter,
    /// The arbiter has ended, or does not answer. The request may have been carried out: try
    /// again.
    Lost,
    /// A rule refuses the request: see [`Error::rule`] and [`Error::by`].
    Refused,
    /// The arbiter cannot carry out the request for another reason, such as a limit.
    Failed,
}

/// Why a call has failed. It has changed nothing, unless the kind is [`ErrorKind::Lost`].
///
/// Its text ([`fmt::Display`]) says what was asked, why it failed and what to do, in English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    code: Option<String>,
    rule: Option<String>,
    by: Option<u64>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: String) -> Self {
        Self { kind, message, code: None, rule: None, by: None }
    }

    /// Calls a function of the library that fills in an error, and returns what it returns. The
    /// caller looks at the error only if the call has failed.
    pub(crate) fn of_call<R>(
        call: impl FnOnce(*mut sys::asession_error_t) -> R,
    ) -> (R, sys::asession_error_t) {
        // SAFETY: The structure consists of integers, for which 0 is valid.
        let mut error: sys::asession_error_t = unsafe { MaybeUninit::zeroed().assume_init() };
        let result = call(&mut error);
        (result, error)
    }

    pub(crate) fn from_c(error: &sys::asession_error_t) -> Self {
        let kind = match error.status {
            sys::ASESSION_BAD_ARGUMENT => ErrorKind::BadArgument,
            sys::ASESSION_NO_MEMORY => ErrorKind::NoMemory,
            sys::ASESSION_NO_ARBITER => ErrorKind::NoArbiter,
            sys::ASESSION_LOST => ErrorKind::Lost,
            sys::ASESSION_REFUSED => ErrorKind::Refused,
            _ => ErrorKind::Failed,
        };
        Self {
            kind,
            message: text::from_array(&error.message),
            code: text::from_optional_array(&error.code),
            rule: text::from_optional_array(&error.rule),
            by: Some(error.by).filter(|&by| by != 0),
        }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was asked, why it failed and what to do, in English.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The code of the refusal or error in the protocol, such as `insufficientPriority`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// The rule that refuses, such as `ACT-5`.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// The number of the session that prevents it.
    #[must_use]
    pub fn by(&self) -> Option<u64> {
        self.by
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
