#ifndef YODEL_CPULSE_SHIM_H
#define YODEL_CPULSE_SHIM_H
#include <dlfcn.h>
#include <pulse/error.h>
#include <pulse/ext-stream-restore.h>
#include <pulse/introspect.h>
#include <pulse/mainloop.h>
#include <pulse/stream.h>
#include <pulse/subscribe.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Vouches to the render contract's checker for one C function: it is called between render scopes, and what libpulse does
   inside is the device's own business. */
#define CPULSE_TURN __attribute__((swift_attr("@_noLocks")))

/* The part of libpulse that a session and a device need. It is loaded when one of them looks for a sound server, not linked: a
   program on bare ALSA does without it. */
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
    F(pa_channel_map_init_extend) F(pa_proplist_new) F(pa_proplist_free) F(pa_proplist_sets) F(pa_proplist_gets) \
    F(pa_stream_new) F(pa_stream_unref) F(pa_stream_get_state) F(pa_stream_connect_playback) F(pa_stream_connect_record) \
    F(pa_stream_disconnect) F(pa_stream_get_buffer_attr) F(pa_stream_get_device_index) F(pa_stream_get_latency) \
    F(pa_stream_get_timing_info) F(pa_stream_writable_size) F(pa_stream_write) F(pa_stream_readable_size) F(pa_stream_peek) \
    F(pa_stream_drop)

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

/* MARK: streams of a device */

/* Connects a stream at its own pace: nothing is held back, and what is queued is the device's business. `buffer` and `period` are in
   bytes; no device: the server's default one. */
static inline int cpulse_connect(
    const cpulse_library *library, pa_stream *stream, const char *device, int is_capture, unsigned period, unsigned buffer) {
    pa_buffer_attr wish;
    memset(&wish, 0xff, sizeof wish);
    const pa_stream_flags_t flags = (pa_stream_flags_t)(
        PA_STREAM_EARLY_REQUESTS | PA_STREAM_INTERPOLATE_TIMING | PA_STREAM_AUTO_TIMING_UPDATE);
    if (is_capture) {
        wish.fragsize = period;
        return library->pa_stream_connect_record(stream, device, &wish, flags);
    }
    wish.tlength = buffer;
    wish.minreq = period;
    wish.prebuf = 0;
    return library->pa_stream_connect_playback(stream, device, &wish, flags, NULL, NULL);
}

static inline void cpulse_take(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *nothing) {
    (void)api; (void)event; (void)flags; (void)nothing;
    uint64_t value;
    ssize_t got = read(descriptor, &value, sizeof value);
    (void)got;
}

/* Has a wait of the loop end, too, when the event descriptor becomes readable. */
static inline int cpulse_listen(const cpulse_library *library, pa_mainloop *loop, int descriptor) {
    pa_mainloop_api *api = library->pa_mainloop_get_api(loop);
    return api->io_new(api, descriptor, PA_IO_EVENT_INPUT, cpulse_take, NULL) ? 0 : -1;
}

/* One round of the loop, which waits so many microseconds at most: events that were handled, or negative. */
static inline int cpulse_iterate(const cpulse_library *library, pa_mainloop *loop, int microseconds) {
    int result = library->pa_mainloop_prepare(loop, microseconds);
    if (result >= 0) result = library->pa_mainloop_poll(loop);
    return result < 0 ? result : library->pa_mainloop_dispatch(loop);
}

/* MARK: one turn */

/* 1: it runs; 0: not yet; -1: no more. */
CPULSE_TURN static inline int cpulse_is_ready(const cpulse_library *library, pa_stream *stream) {
    const pa_stream_state_t state = library->pa_stream_get_state(stream);
    return state == PA_STREAM_READY ? 1 : PA_STREAM_IS_GOOD(state) ? 0 : -1;
}
/* The sink or source that it is at. */
CPULSE_TURN static inline uint32_t cpulse_place(const cpulse_library *library, pa_stream *stream) {
    return library->pa_stream_get_device_index(stream);
}
/* How long until what is written next is heard, or since what is read next was, in nanoseconds; negative: not known yet. What a
   monitor hears before the loudspeaker plays it is heard now. */
CPULSE_TURN static inline long long cpulse_latency(const cpulse_library *library, pa_stream *stream) {
    pa_usec_t microseconds = 0;
    int negative = 0;
    if (library->pa_stream_get_latency(stream, &microseconds, &negative) < 0) return -1;
    return negative ? 0 : (long long)microseconds * 1000;
}
/* What the server told last of a stream: bytes that were written until now and its sink had not taken then, or that its source had
   captured then and are not read now; for how long the device keeps sound beside; how long ago that was told. The times are in
   microseconds. What a monitor hears before the loudspeaker plays it makes the second one negative. */
typedef struct {
    long long queued, device, age;
} cpulse_timing;
/* Negative: it has told nothing yet, or has another clock than this machine. */
CPULSE_TURN static inline int cpulse_told(
    const cpulse_library *library, pa_stream *stream, int is_capture, cpulse_timing *timing) {
    const pa_timing_info *told = library->pa_stream_get_timing_info(stream);
    if (!told || !told->synchronized_clocks || told->write_index_corrupt || told->read_index_corrupt) return -1;
    /* A source that stood still then may run again. */
    if (is_capture && !told->playing) return -1;
    struct timeval now;
    gettimeofday(&now, NULL);
    timing->queued = (long long)(told->write_index - told->read_index);
    timing->device = is_capture ? (long long)told->source_usec - (long long)told->sink_usec : (long long)told->sink_usec;
    timing->age = (long long)(now.tv_sec - told->timestamp.tv_sec) * 1000000 + (now.tv_usec - told->timestamp.tv_usec);
    return 0;
}
/* Bytes that are queued at the server, as far as it has told; negative: it has played so much more than it had. */
CPULSE_TURN static inline long long cpulse_queued(const cpulse_library *library, pa_stream *stream) {
    const pa_buffer_attr *granted = library->pa_stream_get_buffer_attr(stream);
    const size_t wanted = library->pa_stream_writable_size(stream);
    return granted && wanted != (size_t)-1 ? (long long)granted->tlength - (long long)wanted : 0;
}
/* Writes so many bytes behind a silence of `skipped` bytes. */
CPULSE_TURN static inline int cpulse_write(
    const cpulse_library *library, pa_stream *stream, const void *samples, size_t bytes, long long skipped) {
    return library->pa_stream_write(stream, samples, bytes, NULL, skipped, PA_SEEK_RELATIVE);
}
CPULSE_TURN static inline size_t cpulse_readable(const cpulse_library *library, pa_stream *stream) {
    const size_t bytes = library->pa_stream_readable_size(stream);
    return bytes == (size_t)-1 ? 0 : bytes;
}
/* The oldest piece that was captured: its length in bytes, 0 if there is none. No samples: they are lost. */
CPULSE_TURN static inline size_t cpulse_peek(const cpulse_library *library, pa_stream *stream, const void **samples) {
    size_t bytes = 0;
    return library->pa_stream_peek(stream, samples, &bytes) < 0 ? 0 : bytes;
}
CPULSE_TURN static inline void cpulse_drop(const cpulse_library *library, pa_stream *stream) {
    (void)library->pa_stream_drop(stream);
}
#endif
