/// The state of a session, and the functions that the library's files share. All of them: [owner].
#ifndef ASESSION_STATE_H
#define ASESSION_STATE_H

#include "audiosession/audiosession.h"
#include "gate_object.h"
#include "session_gate.h"

#include <json-c/json.h>
#include <sys/types.h>

enum {
    /// The longest packet of the protocol, in bytes.
    LONGEST_PACKET = 65536,
    /// How long a request waits for its reply.
    REPLY_LIMIT_MS = 2000,
    /// How long it may take to find or start an arbiter.
    LAUNCH_LIMIT_MS = 5000,
    /// The most events that wait for the program; beyond that, the oldest is dropped.
    MOST_EVENTS = 1024,
    /// What the library adds to a request at most: its serial, and the numbers of its subject.
    ADDED_BYTES = 128,
    /// How requests are written.
    WIRE_FORMAT = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE,
    /// How deep the objects of a message may be nested.
    DEEPEST_JSON = 32,
};

/// The number of elements of an array.
#define COUNT(array) (sizeof(array) / sizeof *(array))

/// How far the connection is.
enum phase {
    /// There is none.
    LOST,
    /// `restore` was sent to the next arbiter, whose reply is awaited.
    RESTORING,
    /// The next arbiter does not know the session: `register` was sent.
    REGISTERING,
    CONNECTED,
};

/// A page of an arbiter. Older ones are unmapped when the audio thread no longer reads them.
struct page {
    struct gate_page content;
    /// NULL: none.
    sgate_keys_t *keys;
    struct page *older;
};

struct asession {
    /// The process that has opened the session.
    pid_t process;
    /// The arbiter's socket.
    char path[108];
    /// -1 while the phase is LOST.
    int socket;
    /// What `asession_fd` returns: becomes readable with the socket, `waiting` and `timer`.
    int epoll;
    /// An eventfd, readable if there is an event that a request has received, until the next
    /// dispatch.
    int waiting;
    /// A timerfd, which expires when the next attempt to connect is due; while connected, when to
    /// see whether a key has become audible.
    int timer;
    enum phase phase;
    /// Milliseconds until the next attempt to connect, if this one fails.
    uint32_t pause_ms;
    /// The serial of the last request, and that of `restore` or `register` in those phases.
    uint64_t serial;
    uint64_t joining_serial;
    /// The serial of `hello` in those phases, and what an arbiter that refused it has said.
    uint64_t hello_serial;
    char reason[256];
    /// When the session was connected, in milliseconds of the monotonic clock.
    uint64_t connected_since;
    /// The serial of a request for the keys page of the next arbiter; 0: none. Its reply follows
    /// that to `restore`: until then, the gate of that arbiter is kept in `gate_descriptor`.
    uint64_t keys_serial;
    int gate_descriptor;
    /// The current arbiter, and the session's number there.
    uint64_t arbiter;
    uint64_t id;
    /// The arbiter's last `application`, and its last message with a `status`, for the next one;
    /// NULL: none yet.
    json_object *application;
    json_object *status;
    /// The last request of each kind with which the program has set something, for an arbiter that
    /// does not know the session.
    json_object *settings;
    /// The remote commands that the program handles.
    unsigned commands;
    /// The serial of a report of audibility whose reply has not come; 0: none.
    uint64_t audible_serial;
    /// The last count of frames of a key, and since when it has been the same, in milliseconds.
    uint64_t frames;
    uint64_t frames_since;
    /// The serial of the request whose reply a call awaits, 0: none; and the reply.
    uint64_t awaited;
    json_object *reply;
    int reply_descriptor;
    json_tokener *parser;
    asession_gate_t gate;
    struct page *page;
    /// What the gate reads while an arbiter does not know the session: paused.
    struct gate_page paused;
    sgate_page_t *paused_memory;
    /// The events that wait, in a ring.
    asession_event_t *events;
    uint32_t nevents;
    uint32_t first_event;
    uint32_t event_capacity;
    char packet[LONGEST_PACKET];
};

// ---- Errors: errors.c ---------------------------------------------------------------------------

/// Fills in an error, unless it is NULL, and returns the status.
asession_status_t fail(asession_error_t *error, asession_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Fills in the error of a reply.
asession_status_t fail_by_reply(asession_error_t *error, json_object *reply_error);
asession_status_t succeed(asession_error_t *error);

// ---- Finding and starting the arbiter: launch.c -------------------------------------------------

/// Writes the path of the arbiter's socket: the given one, or if that is NULL, the user's; creates
/// the user's runtime folder if it is missing.
asession_status_t find_arbiter_path(const char *given, char *path, size_t capacity, asession_error_t *error);
/// Connects to the socket at `path`; starts the arbiter there first if no process listens. Stores
/// the socket.
asession_status_t connect_or_start(const char *path, int *socket, asession_error_t *error);
/// Milliseconds of the monotonic clock.
uint64_t clock_ms(void);

// ---- Making requests: requests.c ----------------------------------------------------------------

/// Returns a request of this name, without a session.
json_object *new_request(const char *name);
/// Returns an action of the session, or of the program, to which its other members may be added.
json_object *new_action(const char *name);
json_object *new_app_action(const char *name);

// ---- Sending requests: submit.c -----------------------------------------------------------------

/// Sends a request of which only matters whether it is carried out. Takes ownership. `session` may
/// be NULL, for which all requests succeed.
asession_status_t submit(asession_t *session, json_object *message, asession_error_t *error);
/// Sends an action without further members, or with one flag.
asession_status_t submit_plain(asession_t *session, const char *action, asession_error_t *error);
asession_status_t submit_flag(asession_t *session, const char *action, const char *key, bool value,
                              asession_error_t *error);
/// Sends an action, and remembers it if it is accepted.
asession_status_t submit_setting(asession_t *session, json_object *message, asession_error_t *error);
asession_status_t submit_flag_setting(asession_t *session, const char *action, const char *key, bool value,
                                      asession_error_t *error);
/// The same for an action with texts of the program, which must be UTF-8 and not too long.
asession_status_t submit_text_setting(asession_t *session, json_object *message, asession_error_t *error);

// ---- Types of web audio: web.c ------------------------------------------------------------------

/// What a type of the W3C's Audio Session API sets.
struct web_configuration {
    asession_category_t category;
    asession_mode_t mode;
    unsigned options;
};

/// Stores what a type sets that is not ASESSION_WEB_AUTO. Returns false if there is no such type.
bool find_web_configuration(asession_web_type_t type, struct web_configuration *configuration);

// ---- Settings: settings.c -----------------------------------------------------------------------

/// Remembers a request in place of the last one of its kind. Takes ownership.
void remember(asession_t *session, json_object *message);
/// The same for a request of `asession_request`, if it is one that a restored session has to send
/// again. Does not take ownership.
void remember_request(asession_t *session, json_object *message);
/// Remembers the present position of what plays now, before the arbiter's last status is discarded.
void keep_position(asession_t *session);
/// Sends to the next arbiter what was remembered; to one that has restored the session, only what
/// its record does not contain.
void send_settings(asession_t *session, bool was_restored);

// ---- Reports and texts: protocol.c --------------------------------------------------------------

/// Sends a request whose reply may be long, and stores the reply. Takes ownership of the request.
asession_status_t ask_report(asession_t *session, json_object *message, json_object **reply, asession_error_t *error);

// ---- Names: remote_names.c ----------------------------------------------------------------------

enum { COMMANDS = ASESSION_COMMAND_QUIT + 1, REPEAT_MODES = ASESSION_REPEAT_ALL + 1 };
extern const char *const command_names[COMMANDS];
extern const char *const repeat_mode_names[REPEAT_MODES];

// ---- Pages: pages.c -----------------------------------------------------------------------------

/// Maps a gate and, unless -1, the keys page, and has the gate read them. Does not close the
/// descriptors. Returns whether the gate was mapped.
bool adopt_page(asession_t *session, int gate, int keys);
/// Has the gate fade out and remain closed, until the next page is adopted.
void pause_gate(asession_t *session);
/// Unmaps older pages: those that the audio thread does not read; `all`: every page.
void release_pages(asession_t *session, bool all);

// ---- The socket: channel.c ----------------------------------------------------------------------

/// Closes a descriptor, unless it is -1, and sets it to -1.
void close_descriptor(int *descriptor);
/// Has the timer expire after this time, once; 0: never.
void schedule(asession_t *session, uint32_t pause_ms);
/// Schedules the next attempt to connect, after a longer pause each time.
void schedule_next_attempt(asession_t *session);
/// Ends the connection, and schedules the next attempt.
void handle_loss(asession_t *session);
/// Sends a request with the next serial, which it returns. A `session` and an `app` that are 0
/// become the numbers of this session and program. If that fails, the end of the connection
/// is found when it is read. Takes ownership of the request.
uint64_t send_request(asession_t *session, json_object *request);

// ---- The next arbiter: joining.c ----------------------------------------------------------------

/// Returns the request with which a connection begins.
json_object *new_hello(const asession_t *session);
/// Has `asession_fd` become readable with the socket. Returns whether that succeeded.
bool watch_socket(asession_t *session);
/// Tries to connect after a loss, if the next attempt is due.
void reconnect_if_due(asession_t *session);
/// What to say of an arbiter that welcomes a client in another version of the protocol.
#define OTHER_VERSION                                                                                                  \
    "The arbiter does not support version 1 of the protocol. End it, so that the one that came with this library is "  \
    "started."
/// Keeps what the reply to `hello` states. Returns whether the arbiter continues in our version.
bool accept_welcome(asession_t *session, json_object *message);
/// Handles the reply to `hello` of the next arbiter.
void handle_welcome(asession_t *session, json_object *message);
/// Completes the connection: the reply to `restore` or `register` has arrived. Takes the
/// descriptor.
void finish_joining(asession_t *session, json_object *message, int descriptor);
/// Has the gate read the keys page of the next arbiter as well; -1: it has none. Takes the
/// descriptor.
void finish_keys(asession_t *session, int keys);

// ---- Keys: audibility.c -------------------------------------------------------------------------

/// Reports to the arbiter whether the session, a key, has become audible or ceased to be, and has
/// the timer expire when to do so again. Does nothing for other sessions.
void report_audibility(asession_t *session);

// ---- Messages and replies: connection.c ---------------------------------------------------------

/// Sends a request and waits for the reply, whose descriptor it stores if `descriptor` is not NULL;
/// waits for a connection first. Takes ownership of the request.
asession_status_t exchange(asession_t *session, json_object *request, int *descriptor, json_object **reply,
                           asession_error_t *error);
/// Connects for the first time, and creates the session.
asession_status_t open_connection(asession_t *session, asession_error_t *error);
/// Receives what has arrived. Never waits.
void receive_all(asession_t *session);

// ---- Events: events.c ---------------------------------------------------------------------------

void post_event(asession_t *session, const asession_event_t *event);
void post_simple_event(asession_t *session, asession_event_kind_t kind);
/// Posts the event of a notice, if it has one.
void post_notice(asession_t *session, json_object *notice);

// ---- JSON: json.c -------------------------------------------------------------------------------

/// Return the member `key` of an object, or NULL, 0, false, "" if there is none of this type.
json_object *member(json_object *object, const char *key);
uint64_t unsigned_member(json_object *object, const char *key);
double number_member(json_object *object, const char *key);
bool flag_member(json_object *object, const char *key);
const char *text_member(json_object *object, const char *key);
/// Sets a member. Takes ownership. Without memory, when one of both is NULL, leaves it out.
void add_member(json_object *object, const char *key, json_object *value);
/// The same for a value.
void set_text(json_object *object, const char *key, const char *text);
void set_unsigned(json_object *object, const char *key, uint64_t value);
void set_flag(json_object *object, const char *key, bool value);
void set_number(json_object *object, const char *key, double value);
/// Sets a member, unless the text is NULL.
void set_optional_text(json_object *object, const char *key, const char *text);
/// Parses an object that is to be sent. Returns NULL if the text is none, is too long for a packet,
/// is not UTF-8 or has numbers that JSON has not; stores what is wrong, as a sentence.
json_object *parse_object(const char *text, const char **fault);
/// Sets a member that another object refers to as well; NULL: does nothing.
void set_shared(json_object *object, const char *key, json_object *value);

#endif
