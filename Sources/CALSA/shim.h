#pragma once
#include <alsa/asoundlib.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/// Vouches to the render contract's checker for one C function: it is called between render scopes, and what alsa-lib
/// does inside (uncontended mutexes) is the device's own business.
#define CALSA_TURN __attribute__((swift_attr("@_noLocks")))

/// Declared here because <poll.h> hides it behind _GNU_SOURCE, which a module must not set.
extern int ppoll(struct pollfd *, nfds_t, const struct timespec *, const __sigset_t *);

// MARK: messages. alsa-lib prints to stderr unless somebody listens; the last text of a thread explains its errno.

static inline char *calsa_text(void) {
    static __thread char text[256];
    return text;
}

static inline void calsa_listen(const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file; (void)line; (void)function; (void)code;
    char *text = calsa_text();
    if (text[0]) return;  // the first message of a failure is its cause, the following ones are its echo up the stack
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, 256, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; ++c) if (*c == '\n') *c = ' ';
}

static inline void calsa_install_listener(void) { snd_lib_error_set_handler(calsa_listen); }
static inline void calsa_forget_text(void) { calsa_text()[0] = 0; }

// MARK: settings

/// 0: the settings lead `default` to a sound server's default device, by the plug-in `pulse`; else a negative errno.
static inline int calsa_default_is_server(void) {
    snd_config_t *settings, *pcm, *named;
    int error = snd_config_update_ref(&settings);
    if (error < 0) return error;
    if ((error = snd_config_search_definition(settings, "pcm", "default", &pcm)) >= 0) {
        const char *type = "";
        error = snd_config_search(pcm, "type", &named) < 0 || snd_config_get_string(named, &type) < 0
                || strcmp(type, "pulse") != 0 || snd_config_search(pcm, "server", &named) >= 0
                || snd_config_search(pcm, "device", &named) >= 0
            ? -ENODEV : 0;
        snd_config_delete(pcm);
    }
    snd_config_unref(settings);
    return error;
}

// MARK: set-up. Parameter objects are alloca macros in C.

typedef struct {
    snd_pcm_format_t format;
    unsigned int rate, channels;
    unsigned long period, buffer;
} calsa_setup;

/// Settles hardware and software parameters; `setup` holds the wishes, then what was granted.
/// The start threshold is out of reach (streams are started by hand).
static inline int calsa_configure(snd_pcm_t *pcm, calsa_setup *setup) {
    static const snd_pcm_format_t formats[] = {
        SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S32_LE };
    snd_pcm_hw_params_t *hw;
    snd_pcm_hw_params_alloca(&hw);
    int error = snd_pcm_hw_params_any(pcm, hw);
    if (error < 0) return error;
    if ((error = snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0) return error;
    error = -EINVAL;
    for (int i = 0; i < 3 && error < 0; ++i) {
        setup->format = formats[i];
        error = snd_pcm_hw_params_set_format(pcm, hw, formats[i]);
    }
    if (error < 0) return error;
    if ((error = snd_pcm_hw_params_set_channels_near(pcm, hw, &setup->channels)) < 0) return error;
    int direction = 0;
    if ((error = snd_pcm_hw_params_set_rate_near(pcm, hw, &setup->rate, &direction)) < 0) return error;
    snd_pcm_uframes_t period = setup->period, buffer = setup->buffer;
    direction = 0;
    if ((error = snd_pcm_hw_params_set_period_size_near(pcm, hw, &period, &direction)) < 0) return error;
    if ((error = snd_pcm_hw_params_set_buffer_size_near(pcm, hw, &buffer)) < 0) return error;
    if ((error = snd_pcm_hw_params(pcm, hw)) < 0) return error;
    if ((error = snd_pcm_get_params(pcm, &buffer, &period)) < 0) return error;
    setup->period = period;
    setup->buffer = buffer;

    snd_pcm_sw_params_t *sw;
    snd_pcm_sw_params_alloca(&sw);
    if ((error = snd_pcm_sw_params_current(pcm, sw)) < 0) return error;
    snd_pcm_uframes_t boundary = 0;
    snd_pcm_sw_params_get_boundary(sw, &boundary);
    snd_pcm_sw_params_set_start_threshold(pcm, sw, boundary);
    // whole periods never become available in some plugins (see ALSACaptureLoop): be told of every frame
    snd_pcm_sw_params_set_avail_min(pcm, sw, snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG ? 1 : period);
    if ((error = snd_pcm_sw_params(pcm, sw)) < 0) return error;
    return snd_pcm_prepare(pcm);
}

// MARK: one turn

CALSA_TURN static inline long calsa_read(snd_pcm_t *pcm, void *to, long frames) {
    return snd_pcm_readi(pcm, to, (snd_pcm_uframes_t)frames);
}
CALSA_TURN static inline long calsa_write(snd_pcm_t *pcm, const void *from, long frames) {
    return snd_pcm_writei(pcm, from, (snd_pcm_uframes_t)frames);
}
CALSA_TURN static inline long calsa_available(snd_pcm_t *pcm) { return snd_pcm_avail(pcm); }
CALSA_TURN static inline int calsa_start(snd_pcm_t *pcm) { return snd_pcm_start(pcm); }
CALSA_TURN static inline int calsa_recover(snd_pcm_t *pcm, int error) { return snd_pcm_recover(pcm, error, 1); }
CALSA_TURN static inline int calsa_is_running(snd_pcm_t *pcm) { return snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING; }
/// Delay in frames, or a negative errno: some plugins answer only while running.
CALSA_TURN static inline long calsa_delay(snd_pcm_t *pcm) {
    snd_pcm_sframes_t frames = 0;
    if (snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING) return -EAGAIN;
    int error = snd_pcm_delay(pcm, &frames);
    return error < 0 ? error : frames < 0 ? 0 : frames;
}
/// Throws away what is buffered and starts over.
CALSA_TURN static inline int calsa_restart(snd_pcm_t *pcm) {
    int error = snd_pcm_drop(pcm);
    if (error >= 0) error = snd_pcm_prepare(pcm);
    return error < 0 ? error : snd_pcm_start(pcm);
}
CALSA_TURN static inline int calsa_drop(snd_pcm_t *pcm) { return snd_pcm_drop(pcm); }
CALSA_TURN static inline int calsa_prepare(snd_pcm_t *pcm) { return snd_pcm_prepare(pcm); }
/// What the descriptors' events mean for the PCM: poll bits, or a negative errno.
CALSA_TURN static inline int calsa_events(snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int count) {
    unsigned short events = 0;
    int error = snd_pcm_poll_descriptors_revents(pcm, descriptors, count, &events);
    return error < 0 ? error : events;
}
CALSA_TURN static inline int calsa_poll(struct pollfd *descriptors, unsigned int count, long long nanoseconds) {
    if (nanoseconds < 0) nanoseconds = 0;
    struct timespec time = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
    return ppoll(descriptors, count, &time, NULL);
}
CALSA_TURN static inline long long calsa_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}
