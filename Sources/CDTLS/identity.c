#include <stdlib.h>
#include <string.h>

#include "cdtls.h"
#include "library.h"

#define openssl cdtls_openssl

// A certificate for `key`, signed by itself. What it says of its owner is nothing: the fingerprint is what counts.
static X509 *make_certificate(EVP_PKEY *key, int days) {
    X509 *certificate = openssl.X509_new();
    uint64_t serial = 0;
    if (!certificate || openssl.RAND_bytes((unsigned char *)&serial, sizeof serial) != 1) goto fail;
    // A peer whose clock is a little behind shall not find it too young.
    if (openssl.X509_set_version(certificate, 2) != 1 ||
        openssl.ASN1_INTEGER_set_uint64(openssl.X509_get_serialNumber(certificate), serial >> 1 | 1) != 1 ||
        !openssl.X509_gmtime_adj(openssl.X509_getm_notBefore(certificate), -24 * 3600L) ||
        !openssl.X509_gmtime_adj(openssl.X509_getm_notAfter(certificate), days * 24 * 3600L))
        goto fail;
    X509_NAME *name = openssl.X509_get_subject_name(certificate);
    if (openssl.X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"yodel", -1, -1, 0) != 1 ||
        openssl.X509_set_issuer_name(certificate, name) != 1 || openssl.X509_set_pubkey(certificate, key) != 1 ||
        openssl.X509_sign(certificate, key, openssl.EVP_sha256()) == 0)
        goto fail;
    return certificate;
fail:
    openssl.X509_free(certificate);
    return NULL;
}

static SSL_CTX *make_context(EVP_PKEY *key, X509 *certificate) {
    SSL_CTX *context = openssl.SSL_CTX_new(openssl.DTLS_method());
    if (!context) return NULL;
    openssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, DTLS1_2_VERSION, NULL);
    openssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, DTLS1_2_VERSION, NULL);
    // Each call has an association of its own: nothing is resumed, and nothing negotiated anew (RFC 8842 section 5).
    openssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    openssl.SSL_CTX_set_options(
        context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_QUERY_MTU |
                     SSL_OP_SINGLE_ECDH_USE);
    openssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, 16 * 1024, NULL);
    openssl.SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    openssl.SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    openssl.SSL_CTX_set_cert_verify_callback(context, cdtls_verify, NULL);
    openssl.SSL_CTX_set_cookie_generate_cb(context, cdtls_make_cookie);
    openssl.SSL_CTX_set_cookie_verify_cb(context, cdtls_check_cookie);
    openssl.SSL_CTX_set_info_callback(context, cdtls_note_alert);
    if (openssl.SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES:!aNULL:!eNULL") != 1 ||
        openssl.SSL_CTX_use_certificate(context, certificate) != 1 || openssl.SSL_CTX_use_PrivateKey(context, key) != 1) {
        openssl.SSL_CTX_free(context);
        return NULL;
    }
    return context;
}

// Takes the key and the certificate over.
static cdtls_identity *make_identity(EVP_PKEY *key, X509 *certificate) {
    cdtls_identity *identity = calloc(1, sizeof *identity);
    if (!identity) goto fail;
    identity->context = make_context(key, certificate);
    if (!identity->context || openssl.RAND_bytes(identity->cookie_secret, sizeof identity->cookie_secret) != 1) goto fail;
    identity->key = key;
    identity->certificate = certificate;
    return identity;
fail:
    if (identity) openssl.SSL_CTX_free(identity->context);
    free(identity);
    openssl.X509_free(certificate);
    openssl.EVP_PKEY_free(key);
    openssl.ERR_clear_error();
    return NULL;
}

cdtls_identity *cdtls_identity_create(int days) {
    EVP_PKEY *key = openssl.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *certificate = key ? make_certificate(key, days) : NULL;
    if (!certificate) {
        openssl.EVP_PKEY_free(key);
        openssl.ERR_clear_error();
        return NULL;
    }
    return make_identity(key, certificate);
}

cdtls_identity *cdtls_identity_load(
    const uint8_t *key_bytes, int key_count, const uint8_t *certificate_bytes, int certificate_count) {
    EVP_PKEY *key = openssl.d2i_AutoPrivateKey(NULL, &key_bytes, key_count);
    X509 *certificate = openssl.d2i_X509(NULL, &certificate_bytes, certificate_count);
    if (!key || !certificate || openssl.X509_check_private_key(certificate, key) != 1) {
        openssl.X509_free(certificate);
        openssl.EVP_PKEY_free(key);
        openssl.ERR_clear_error();
        return NULL;
    }
    return make_identity(key, certificate);
}

void cdtls_identity_free(cdtls_identity *identity) {
    if (!identity) return;
    openssl.SSL_CTX_free(identity->context);
    openssl.X509_free(identity->certificate);
    openssl.EVP_PKEY_free(identity->key);
    explicit_bzero(identity, sizeof *identity);
    free(identity);
}

int cdtls_identity_certificate(const cdtls_identity *identity, uint8_t *out, int room) {
    int length = openssl.i2d_X509(identity->certificate, NULL);
    return length > 0 && length <= room ? openssl.i2d_X509(identity->certificate, &out) : 0;
}

int cdtls_identity_key(const cdtls_identity *identity, uint8_t *out, int room) {
    int length = openssl.i2d_PrivateKey(identity->key, NULL);
    return length > 0 && length <= room ? openssl.i2d_PrivateKey(identity->key, &out) : 0;
}
