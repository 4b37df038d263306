#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "cdtls.h"
#include "library.h"

cdtls_functions cdtls_openssl;

static const char *load(void) {
    // The name holds the version whose functions the headers describe. The libraries stay loaded.
    void *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    void *ssl = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!crypto || !ssl) return "OpenSSL 3 is not installed (Debian: libssl3)";
#define X(name)                                                                     \
    cdtls_openssl.name = (__typeof__(cdtls_openssl.name))dlsym(crypto, #name);      \
    if (!cdtls_openssl.name) return "OpenSSL is too old or built without " #name;
    CDTLS_CRYPTO_FUNCTIONS(X)
#undef X
#define X(name)                                                                     \
    cdtls_openssl.name = (__typeof__(cdtls_openssl.name))dlsym(ssl, #name);         \
    if (!cdtls_openssl.name) return "OpenSSL is too old or built without " #name;
    CDTLS_SSL_FUNCTIONS(X)
#undef X
    cdtls_openssl.timer_is_ours = cdtls_openssl.OpenSSL_version_num() < 0x30200000L;
    cdtls_openssl.datagrams = cdtls_make_datagrams();
    return cdtls_openssl.datagrams ? NULL : "OpenSSL has no memory";
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load_once(void) { missing = load(); }

const char *cdtls_load(void) {
    pthread_once(&once, load_once);
    return missing;
}

static const EVP_MD *hash_function(int hash) {
    switch (hash) {
    case CDTLS_SHA256: return cdtls_openssl.EVP_sha256();
    case CDTLS_SHA384: return cdtls_openssl.EVP_sha384();
    case CDTLS_SHA512: return cdtls_openssl.EVP_sha512();
    default: return NULL;
    }
}

int cdtls_digest(int hash, const uint8_t *bytes, int count, uint8_t *out) {
    const EVP_MD *function = hash_function(hash);
    unsigned length = 0;
    if (!function || count < 0) return 0;
    return cdtls_openssl.EVP_Digest(bytes, (size_t)count, out, &length, function, NULL) == 1 ? (int)length : 0;
}
