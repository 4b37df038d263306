#ifndef YODEL_CSPANDSP_SHIM_H
#define YODEL_CSPANDSP_SHIM_H
#include <dlfcn.h>
#include <inttypes.h>
#include <spandsp/telephony.h>
#include <spandsp/g722.h>
#include <spandsp/private/g722.h>

/* The part of libspandsp that codes G.722. It is loaded when a call uses G.722, not linked: it brings libtiff and what
   libtiff needs along, for its fax half. */
typedef struct {
    __typeof__(g722_encode_init) *encode_init;
    __typeof__(g722_encode) *encode;
    __typeof__(g722_decode_init) *decode_init;
    __typeof__(g722_decode) *decode;
} cspandsp_library;

/* Names for Swift; neither state holds a pointer, so that a copy of its bytes is a copy of the coder. */
typedef struct g722_encode_state_s cspandsp_g722_encoder;
typedef struct g722_decode_state_s cspandsp_g722_decoder;

/* Fills `library`; NULL, or what is missing. The name holds the version whose states the header describes. The library
   stays loaded. */
static inline const char *cspandsp_load(cspandsp_library *library) {
    void *handle = dlopen("libspandsp.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return "libspandsp is not installed (Debian: libspandsp2)";
    library->encode_init = (__typeof__(library->encode_init))dlsym(handle, "g722_encode_init");
    library->encode = (__typeof__(library->encode))dlsym(handle, "g722_encode");
    library->decode_init = (__typeof__(library->decode_init))dlsym(handle, "g722_decode_init");
    library->decode = (__typeof__(library->decode))dlsym(handle, "g722_decode");
    if (!library->encode_init || !library->encode || !library->decode_init || !library->decode)
        return "libspandsp is too old: it has no G.722";
    return 0;
}
#endif
