/// Every function of libjack that the fake has and that a script can make fail: its name, and the ways in which it fails.
#ifndef FAKE_JACK_CALLS_H
#define FAKE_JACK_CALLS_H

/// How many ways there are for each kind of function: see `fails` in faults.c.
enum ways {
    OPENS = 3,    ///< no client: no server; an error of the server; refused
    FINDS = 1,    ///< NULL
    LISTS = 2,    ///< NULL; a list without names
    STATUS = 3,   ///< -1; a positive errno; the errno that says it is so already
    COUNTS = 2,   ///< 0; the largest number
    MEASURES = 2, ///< not a number; a negative one
    FILLS = 2,    ///< does nothing; fills in the largest numbers
    NEVER = 0,    ///< cannot fail
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
    CALL(get_property, STATUS)                                                                                         \
    CALL(get_properties, STATUS)                                                                                       \
    CALL(set_property, STATUS)                                                                                         \
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
