// The functions of OpenSSL that check a certificate: `cx509_X509_free` is X509_free, and so on. libcrypto itself is loaded by
// cx509_load: a call without TLS does without it.
#ifndef CX509_H
#define CX509_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/// Loads the library, once. Call it before any other function.
///
/// - Returns: NULL, or what is missing, in words.
const char *cx509_load(void);

// X(type, name, parameters, arguments) of a function that returns something; V of one that does not.
#define CX509_FUNCTIONS(X, V)                                                                                       \
    X(X509 *, d2i_X509, (X509 **out, const unsigned char **bytes, long count), (out, bytes, count))                 \
    V(X509_free, (X509 *certificate), (certificate))                                                                \
    X(X509_NAME *, X509_get_subject_name, (const X509 *certificate), (certificate))                                 \
    X(X509_NAME *, X509_get_issuer_name, (const X509 *certificate), (certificate))                                  \
    X(const ASN1_TIME *, X509_get0_notBefore, (const X509 *certificate), (certificate))                             \
    X(const ASN1_TIME *, X509_get0_notAfter, (const X509 *certificate), (certificate))                              \
    X(char *, X509_NAME_oneline, (const X509_NAME *name, char *out, int count), (name, out, count))                 \
    X(int, ASN1_TIME_to_tm, (const ASN1_TIME *time, struct tm *out), (time, out))                                   \
    V(ERR_clear_error, (void), ())                                                                                  \
    X(OPENSSL_STACK *, OPENSSL_sk_new_null, (void), ())                                                             \
    X(int, OPENSSL_sk_push, (OPENSSL_STACK *stack, const void *item), (stack, item))                                \
    V(OPENSSL_sk_free, (OPENSSL_STACK *stack), (stack))                                                             \
    X(X509_STORE *, X509_STORE_new, (void), ())                                                                     \
    V(X509_STORE_free, (X509_STORE *store), (store))                                                                \
    X(int, X509_STORE_load_file, (X509_STORE *store, const char *path), (store, path))                              \
    X(int, X509_STORE_set_default_paths, (X509_STORE *store), (store))                                              \
    X(X509_STORE_CTX *, X509_STORE_CTX_new, (void), ())                                                             \
    V(X509_STORE_CTX_free, (X509_STORE_CTX *context), (context))                                                    \
    X(int, X509_STORE_CTX_init,                                                                                     \
      (X509_STORE_CTX *context, X509_STORE *store, X509 *leaf, STACK_OF(X509) *others), (context, store, leaf, others)) \
    X(int, X509_STORE_CTX_set_default, (X509_STORE_CTX *context, const char *name), (context, name))                \
    X(X509_VERIFY_PARAM *, X509_STORE_CTX_get0_param, (const X509_STORE_CTX *context), (context))                   \
    X(int, X509_STORE_CTX_get_error, (const X509_STORE_CTX *context), (context))                                    \
    X(int, X509_verify_cert, (X509_STORE_CTX *context), (context))                                                  \
    X(const char *, X509_verify_cert_error_string, (long code), (code))                                             \
    X(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *parameters, const char *address), (parameters, address)) \
    V(X509_VERIFY_PARAM_set_hostflags, (X509_VERIFY_PARAM *parameters, unsigned flags), (parameters, flags))        \
    X(int, X509_VERIFY_PARAM_set1_host, (X509_VERIFY_PARAM *parameters, const char *name, size_t count),            \
      (parameters, name, count))                                                                                    \
    X(const EVP_MD *, EVP_sha256, (void), ())                                                                       \
    X(int, EVP_Digest,                                                                                              \
      (const void *bytes, size_t count, unsigned char *out, unsigned *length, const EVP_MD *hash, ENGINE *engine),  \
      (bytes, count, out, length, hash, engine))

#define X(type, name, parameters, arguments) type cx509_##name parameters;
#define V(name, parameters, arguments) void cx509_##name parameters;
CX509_FUNCTIONS(X, V)
#undef X
#undef V

#endif
