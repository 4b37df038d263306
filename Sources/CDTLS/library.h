// The functions of OpenSSL that are used, found when they are needed.
#ifndef CDTLS_LIBRARY_H
#define CDTLS_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#define CDTLS_CRYPTO_FUNCTIONS(X)                                                                            \
    X(OpenSSL_version_num) X(ERR_clear_error) X(ERR_peek_error) X(ERR_reason_error_string)                   \
    X(EVP_PKEY_Q_keygen) X(EVP_PKEY_free) X(EVP_PKEY_get_bits) X(EVP_PKEY_get_base_id)                       \
    X(EVP_sha256) X(EVP_sha384) X(EVP_sha512) X(EVP_Digest) X(HMAC) X(RAND_bytes)                            \
    X(X509_new) X(X509_free) X(X509_set_version) X(X509_get_serialNumber) X(ASN1_INTEGER_set_uint64)         \
    X(X509_getm_notBefore) X(X509_getm_notAfter) X(X509_gmtime_adj) X(X509_set_pubkey)                       \
    X(X509_get_subject_name) X(X509_NAME_add_entry_by_txt) X(X509_set_issuer_name) X(X509_sign)              \
    X(X509_get0_pubkey) X(X509_check_private_key) X(X509_STORE_CTX_get0_cert) X(X509_STORE_CTX_get_ex_data)  \
    X(i2d_X509) X(d2i_X509) X(i2d_PrivateKey) X(d2i_AutoPrivateKey)                                          \
    X(BIO_meth_new) X(BIO_meth_free) X(BIO_meth_set_write) X(BIO_meth_set_read) X(BIO_meth_set_ctrl)         \
    X(BIO_get_new_index) X(BIO_new) X(BIO_set_data) X(BIO_get_data) X(BIO_set_init)                          \
    X(BIO_set_flags) X(BIO_clear_flags) X(BIO_ADDR_new) X(BIO_ADDR_free) X(BIO_s_mem) X(BIO_read) X(BIO_write)     \
    X(X509_VERIFY_PARAM_set1_host) X(X509_VERIFY_PARAM_set1_ip_asc) X(X509_VERIFY_PARAM_set_hostflags)       \
    X(X509_verify_cert_error_string)

#define CDTLS_SSL_FUNCTIONS(X)                                                                               \
    X(DTLS_method) X(SSL_CTX_new) X(SSL_CTX_free) X(SSL_CTX_ctrl) X(SSL_CTX_set_options)                     \
    X(SSL_CTX_use_certificate) X(SSL_CTX_use_PrivateKey) X(SSL_CTX_set_cipher_list) X(SSL_CTX_set_verify)    \
    X(SSL_CTX_set_cert_verify_callback) X(SSL_CTX_set_cookie_generate_cb) X(SSL_CTX_set_cookie_verify_cb)    \
    X(SSL_CTX_set_info_callback) X(SSL_new) X(SSL_free) X(SSL_set_bio) X(SSL_ctrl) X(SSL_set_ex_data)        \
    X(SSL_get_ex_data) X(SSL_get_ex_data_X509_STORE_CTX_idx) X(SSL_set_connect_state)                        \
    X(SSL_set_accept_state) X(SSL_do_handshake) X(SSL_get_error) X(SSL_read) X(SSL_write) X(SSL_shutdown)    \
    X(SSL_get_shutdown) X(SSL_is_init_finished) X(SSL_export_keying_material) X(SSL_set_tlsext_use_srtp)     \
    X(SSL_get_selected_srtp_profile) X(SSL_get_current_cipher) X(SSL_CIPHER_get_name) X(DTLSv1_listen)       \
    X(DTLS_set_timer_cb) X(TLS_client_method) X(SSL_CTX_load_verify_file) X(SSL_CTX_set_default_verify_paths)  \
    X(SSL_get0_param) X(SSL_get_verify_result)

// Each function under its own name: `cdtls_openssl.SSL_new(...)`. Macros of OpenSSL's headers do not find them there.
typedef struct {
#define X(name) __typeof__(name) *name;
    CDTLS_CRYPTO_FUNCTIONS(X)
    CDTLS_SSL_FUNCTIONS(X)
#undef X
    // How an association reads and writes datagrams.
    BIO_METHOD *datagrams;
    // Whether the library lets its timer be set from outside (association.c says how): before 3.2.
    bool timer_is_ours;
} cdtls_functions;

extern cdtls_functions cdtls_openssl;

// association.c
BIO_METHOD *cdtls_make_datagrams(void);
int cdtls_verify(X509_STORE_CTX *store, void *unused);
int cdtls_make_cookie(SSL *ssl, unsigned char *cookie, unsigned int *length);
int cdtls_check_cookie(SSL *ssl, const unsigned char *cookie, unsigned int length);
void cdtls_note_alert(const SSL *ssl, int where, int value);

struct cdtls_identity {
    SSL_CTX *context;
    EVP_PKEY *key;
    X509 *certificate;
    uint8_t cookie_secret[32];
};

#endif
