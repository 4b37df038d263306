#include <stdlib.h>

#include <openssl/x509v3.h>

#include "ctls.h"
#include "library.h"

#define openssl cdtls_openssl

struct ctls_context {
    SSL_CTX *ssl;
};

struct ctls_client {
    SSL *ssl;
    // Owned by `ssl`.
    BIO *input;
    BIO *output;
    int state;
    const char *error;
};

ctls_context *ctls_context_create(const char *authority_file) {
    ctls_context *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    openssl.ERR_clear_error();
    self->ssl = openssl.SSL_CTX_new(openssl.TLS_client_method());
    int is_read = 0;
    if (self->ssl) {
        is_read = authority_file ? openssl.SSL_CTX_load_verify_file(self->ssl, authority_file)
                                 : openssl.SSL_CTX_set_default_verify_paths(self->ssl);
    }
    if (is_read != 1) {
        openssl.ERR_clear_error();
        ctls_context_free(self);
        return NULL;
    }
    openssl.SSL_CTX_set_verify(self->ssl, SSL_VERIFY_PEER, NULL);
    openssl.SSL_CTX_ctrl(self->ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
    return self;
}

void ctls_context_free(ctls_context *self) {
    if (!self) return;
    openssl.SSL_CTX_free(self->ssl);
    free(self);
}

// The certificate must have that name, or that numeric address.
static bool expect(SSL *ssl, const char *name) {
    X509_VERIFY_PARAM *parameters = openssl.SSL_get0_param(ssl);
    if (openssl.X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1) return true;
    openssl.ERR_clear_error();
    openssl.X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (!*name || openssl.X509_VERIFY_PARAM_set1_host(parameters, name, 0) != 1) return false;
    // Servers with several certificates choose by it (RFC 6066 section 3); a numeric address does not belong there.
    return openssl.SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, (void *)name) == 1;
}

ctls_client *ctls_create(ctls_context *context, const char *name) {
    ctls_client *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->ssl = openssl.SSL_new(context->ssl);
    self->input = self->ssl ? openssl.BIO_new(openssl.BIO_s_mem()) : NULL;
    self->output = self->input ? openssl.BIO_new(openssl.BIO_s_mem()) : NULL;
    // From here on freed with `ssl`, also when there is only one of them.
    if (self->ssl) openssl.SSL_set_bio(self->ssl, self->input, self->output);
    if (!self->output || !expect(self->ssl, name)) {
        openssl.ERR_clear_error();
        ctls_free(self);
        return NULL;
    }
    openssl.SSL_set_connect_state(self->ssl);
    return self;
}

void ctls_free(ctls_client *self) {
    if (!self) return;
    if (self->ssl) openssl.SSL_free(self->ssl);
    free(self);
}

static void fail(ctls_client *self) {
    long verified = openssl.SSL_get_verify_result(self->ssl);
    unsigned long code = openssl.ERR_peek_error();
    self->state = CTLS_FAILED;
    self->error = verified != X509_V_OK ? openssl.X509_verify_cert_error_string(verified)
                                        : code ? openssl.ERR_reason_error_string(code) : NULL;
    if (!self->error) self->error = "TLS could not be agreed on";
    openssl.ERR_clear_error();
}

// Looks at what a call of OpenSSL gave; whether it only waits for more.
static bool waits(ctls_client *self, int result) {
    int error = openssl.SSL_get_error(self->ssl, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return true;
    if (error == SSL_ERROR_ZERO_RETURN) self->state = CTLS_CLOSED; else fail(self);
    return false;
}

int ctls_receive(ctls_client *self, const uint8_t *bytes, int count) {
    openssl.ERR_clear_error();
    if (count > 0 && openssl.BIO_write(self->input, bytes, count) != count) fail(self);
    if (self->state != CTLS_HANDSHAKING) return self->state;
    int result = openssl.SSL_do_handshake(self->ssl);
    if (result == 1) self->state = CTLS_CONNECTED; else waits(self, result);
    return self->state;
}

int ctls_read(ctls_client *self, uint8_t *out, int room) {
    if (self->state != CTLS_CONNECTED) return 0;
    openssl.ERR_clear_error();
    int count = openssl.SSL_read(self->ssl, out, room);
    if (count > 0) return count;
    waits(self, count);
    return 0;
}

int ctls_write(ctls_client *self, const uint8_t *bytes, int count) {
    if (self->state != CTLS_CONNECTED || count <= 0) return 0;
    openssl.ERR_clear_error();
    int written = openssl.SSL_write(self->ssl, bytes, count);
    if (written > 0) return written;
    waits(self, written);
    return 0;
}

int ctls_take(ctls_client *self, uint8_t *out, int room) {
    int count = openssl.BIO_read(self->output, out, room);
    return count > 0 ? count : 0;
}

void ctls_close(ctls_client *self) {
    openssl.ERR_clear_error();
    if (self->state == CTLS_CONNECTED) openssl.SSL_shutdown(self->ssl);
    if (self->state != CTLS_FAILED) self->state = CTLS_CLOSED;
}

const char *ctls_error(const ctls_client *self) { return self->error ? self->error : "TLS could not be agreed on"; }
