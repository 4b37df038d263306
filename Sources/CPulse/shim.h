#ifndef YODEL_CPULSE_SHIM_H
#define YODEL_CPULSE_SHIM_H
#include <dlfcn.h>
#include <pulse/error.h>
#include <pulse/ext-stream-restore.h>
#include <pulse/introspect.h>
#include <pulse/mainloop.h>
#include <pulse/subscribe.h>

/* The part of libpulse that a session needs. It is loaded when a session looks for a sound server, not linked: a program on
   bare ALSA does without it. */
#define CPULSE_FUNCTIONS(F) \
    F(pa_mainloop_new) F(pa_mainloop_free) F(pa_mainloop_prepare) F(pa_mainloop_poll) F(pa_mainloop_dispatch) \
    F(pa_mainloop_wakeup) F(pa_mainloop_get_api) \
    F(pa_context_new_with_proplist) F(pa_context_unref) F(pa_context_connect) F(pa_context_disconnect) \
    F(pa_context_get_state) F(pa_context_set_state_callback) F(pa_context_errno) F(pa_strerror) F(pa_context_get_index) \
    F(pa_context_set_subscribe_callback) F(pa_context_subscribe) \
    F(pa_context_get_server_info) F(pa_context_get_sink_info_list) F(pa_context_get_source_info_list) \
    F(pa_context_get_sink_input_info_list) F(pa_context_get_source_output_info_list) F(pa_context_get_client_info_list) \
    F(pa_context_move_sink_input_by_index) F(pa_context_move_source_output_by_index) \
    F(pa_context_set_sink_input_volume) F(pa_context_set_sink_input_mute) F(pa_context_set_sink_port_by_name) \
    F(pa_context_proplist_update) F(pa_ext_stream_restore_write) F(pa_operation_unref) \
    F(pa_channel_map_init_extend) F(pa_proplist_new) F(pa_proplist_free) F(pa_proplist_sets) F(pa_proplist_gets)

typedef struct {
#define CPULSE_MEMBER(name) __typeof__(name) *name;
    CPULSE_FUNCTIONS(CPULSE_MEMBER)
#undef CPULSE_MEMBER
} cpulse_library;

/* Fills `library`; NULL, or what is missing. The library stays loaded. */
static inline const char *cpulse_load(cpulse_library *library) {
    void *handle = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return "libpulse is not installed (Debian: libpulse0)";
#define CPULSE_FIND(name) \
    library->name = (__typeof__(name) *)dlsym(handle, #name); \
    if (!library->name) return "libpulse is too old: " #name " is missing";
    CPULSE_FUNCTIONS(CPULSE_FIND)
#undef CPULSE_FIND
    return NULL;
}
#endif
