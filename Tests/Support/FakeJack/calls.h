/// The table of the fake's libjack functions that a script can make fail: the name of each, and the
/// ways in which it can fail.
#ifndef FAKE_JACK_CALLS_H
#define FAKE_JACK_CALLS_H

/// The number of failure ways of each kind of function. See `fails` in faults.c.
enum ways {
    /// No client: no server; a server error; refused.
    OPENS = 3,
    /// NULL.
    FINDS = 1,
    /// NULL; a list without names.
    LISTS = 2,
    /// -1; a positive errno; the errno for a request that is already fulfilled.
    STATUS = 3,
    /// 0; the largest number.
    COUNTS = 2,
    /// Not a number; a negative one.
    MEASURES = 2,
    /// Does nothing; fills in the largest numbers.
    FILLS = 2,
    /// Cannot fail.
    NEVER = 0,
};

#define FAKE_JACK_CALLS(CALL)                                                                                          \
    CALL(client_open, OPENS)                                                                                           \
    CALL(client_close, STATUS)                                                                                         \
    CALL(activate, STATUS)                                                                                             \
    CALL(deactivate, STATUS)                                                                                           \
    CALL(get_client_name, NEVER)                                                                                       \
    CALL(client_thread_id, NEVER)                                                                                      \
    CALL(set_process_callback, STATUS)                                                                                 \
    CALL(set_thread_init_callback, STATUS)                                                                             \
    CALL(set_sample_rate_callback, STATUS)                                                                             \
    CALL(set_buffer_size_callback, STATUS)                                                                             \
    CALL(set_xrun_callback, STATUS)                                                                                    \
    CALL(set_freewheel_callback, STATUS)                                                                               \
    CALL(set_port_connect_callback, STATUS)                                                                            \
    CALL(set_port_registration_callback, STATUS)                                                                       \
    CALL(set_port_rename_callback, STATUS)                                                                             \
    CALL(set_client_registration_callback, STATUS)                                                                     \
    CALL(set_graph_order_callback, STATUS)                                                                             \
    CALL(set_latency_callback, STATUS)                                                                                 \
    CALL(set_property_change_callback, STATUS)                                                                         \
    CALL(on_shutdown, NEVER)                                                                                           \
    CALL(on_info_shutdown, NEVER)                                                                                      \
    CALL(port_register, FINDS)                                                                                         \
    CALL(port_unregister, STATUS)                                                                                      \
    CALL(port_get_buffer, FINDS)                                                                                       \
    CALL(port_name, FINDS)                                                                                             \
    CALL(port_short_name, FINDS)                                                                                       \
    CALL(port_type, FINDS)                                                                                             \
    CALL(port_flags, COUNTS)                                                                                           \
    CALL(port_uuid, COUNTS)                                                                                            \
    CALL(port_is_mine, COUNTS)                                                                                         \
    CALL(port_connected, STATUS)                                                                                       \
    CALL(port_connected_to, STATUS)                                                                                    \
    CALL(port_get_connections, LISTS)                                                                                  \
    CALL(port_get_all_connections, LISTS)                                                                              \
    CALL(port_get_aliases, STATUS)                                                                                     \
    CALL(port_set_alias, STATUS)                                                                                       \
    CALL(port_unset_alias, STATUS)                                                                                     \
    CALL(port_rename, STATUS)                                                                                          \
    CALL(port_by_name, FINDS)                                                                                          \
    CALL(port_by_id, FINDS)                                                                                            \
    CALL(port_get_latency_range, FILLS)                                                                                \
    CALL(port_set_latency_range, FILLS)                                                                                \
    CALL(recompute_total_latencies, STATUS)                                                                            \
    CALL(get_ports, LISTS)                                                                                             \
    CALL(connect, STATUS)                                                                                              \
    CALL(disconnect, STATUS)                                                                                           \
    CALL(port_disconnect, STATUS)                                                                                      \
    CALL(get_sample_rate, COUNTS)                                                                                      \
    CALL(get_buffer_size, COUNTS)                                                                                      \
    CALL(set_buffer_size, STATUS)                                                                                      \
    CALL(set_freewheel, STATUS)                                                                                        \
    CALL(cpu_load, MEASURES)                                                                                           \
    CALL(frame_time, NEVER)                                                                                            \
    CALL(get_cycle_times, STATUS)                                                                                      \
    CALL(transport_query, FILLS)                                                                                       \
    CALL(set_sync_callback, STATUS)                                                                                    \
    CALL(set_timebase_callback, STATUS)                                                                                \
    CALL(release_timebase, STATUS)                                                                                     \
    CALL(transport_start, FILLS)                                                                                       \
    CALL(transport_stop, FILLS)                                                                                        \
    CALL(transport_locate, STATUS)                                                                                     \
    CALL(midi_get_event_count, COUNTS)                                                                                 \
    CALL(midi_event_get, STATUS)                                                                                       \
    CALL(midi_clear_buffer, NEVER)                                                                                     \
    CALL(midi_event_write, STATUS)                                                                                     \
    CALL(get_property, STATUS)                                                                                         \
    CALL(get_properties, STATUS)                                                                                       \
    CALL(set_property, STATUS)                                                                                         \
    CALL(remove_property, STATUS)                                                                                      \
    CALL(get_uuid_for_client_name, FINDS)                                                                              \
    CALL(get_client_name_by_uuid, FINDS)

typedef enum call {
#define FAKE_JACK_CALL(name, ways) CALL_##name,
    FAKE_JACK_CALLS(FAKE_JACK_CALL)
#undef FAKE_JACK_CALL
        CALL_COUNT,
    CALL_ANY = CALL_COUNT,
} call_t;

#endif
