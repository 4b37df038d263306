#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "cx509.h"

// One pointer each, filled by cx509_load.
#define X(type, name, parameters, arguments) static __typeof__(name) *found_##name;
#define V(name, parameters, arguments) X(void, name, parameters, arguments)
CX509_FUNCTIONS(X, V)
#undef X
#undef V

#define X(type, name, parameters, arguments) type cx509_##name parameters { return found_##name arguments; }
#define V(name, parameters, arguments) void cx509_##name parameters { found_##name arguments; }
CX509_FUNCTIONS(X, V)
#undef X
#undef V

static const char *missing;

static void load(void) {
    // The name holds the version whose functions the headers describe. The library stays loaded.
    void *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!crypto) {
        missing = "OpenSSL 3 is not installed (Debian: libssl3)";
        return;
    }
#define X(type, name, parameters, arguments)                             \
    found_##name = (__typeof__(found_##name))dlsym(crypto, #name);       \
    if (!found_##name) missing = "OpenSSL is too old or built without " #name;
#define V(name, parameters, arguments) X(void, name, parameters, arguments)
    CX509_FUNCTIONS(X, V)
#undef X
#undef V
}

const char *cx509_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return missing;
}
