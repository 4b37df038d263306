#ifndef YODEL_CSRTP_SHIM_H
#define YODEL_CSRTP_SHIM_H
#include <dlfcn.h>
#include <srtp2/crypto_types.h>
#include <srtp2/srtp.h>

/* The part of libsrtp2 that protects packets. It is loaded when a call is encrypted, not linked: it brings the libraries of
   its ciphers along. */
typedef struct {
    /* As `dlopen` gave it. */
    void *handle;
    __typeof__(srtp_init) *init;
    __typeof__(srtp_create) *create;
    __typeof__(srtp_dealloc) *dealloc;
    __typeof__(srtp_set_stream_roc) *set_roc;
    __typeof__(srtp_protect_mki) *protect;
    __typeof__(srtp_unprotect_mki) *unprotect;
    __typeof__(srtp_protect_rtcp_mki) *protect_rtcp;
    __typeof__(srtp_unprotect_rtcp_mki) *unprotect_rtcp;
} csrtp_library;

/* Fills `library` and starts it; NULL, or what is missing. The library stays loaded. */
static inline const char *csrtp_load(csrtp_library *library) {
    void *handle = dlopen("libsrtp2.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return "libsrtp2 is not installed (Debian: libsrtp2-1)";
    library->handle = handle;
    library->init = (__typeof__(library->init))dlsym(handle, "srtp_init");
    library->create = (__typeof__(library->create))dlsym(handle, "srtp_create");
    library->dealloc = (__typeof__(library->dealloc))dlsym(handle, "srtp_dealloc");
    library->set_roc = (__typeof__(library->set_roc))dlsym(handle, "srtp_set_stream_roc");
    library->protect = (__typeof__(library->protect))dlsym(handle, "srtp_protect_mki");
    library->unprotect = (__typeof__(library->unprotect))dlsym(handle, "srtp_unprotect_mki");
    library->protect_rtcp = (__typeof__(library->protect_rtcp))dlsym(handle, "srtp_protect_rtcp_mki");
    library->unprotect_rtcp = (__typeof__(library->unprotect_rtcp))dlsym(handle, "srtp_unprotect_rtcp_mki");
    if (!library->init || !library->create || !library->dealloc || !library->set_roc || !library->protect ||
        !library->unprotect || !library->protect_rtcp || !library->unprotect_rtcp)
        return "libsrtp2 is too old: 2.1 or newer is needed";
    return library->init() == srtp_err_status_ok ? 0 : "libsrtp2 does not start: its ciphers fail their own test";
}
#endif
