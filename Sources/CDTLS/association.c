#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "cdtls.h"
#include "library.h"

#define openssl cdtls_openssl

struct cdtls_association {
    SSL *ssl;
    cdtls_identity *identity;
    cdtls_owner owner;
    // The datagram that is read next; NULL when there is none.
    const uint8_t *input;
    int input_count;
    // A read leaves the datagram where it is.
    bool peeks;
    // Who sent the datagram that `cdtls_listen` looks at.
    uint8_t source[32];
    int source_count;
    // OpenSSL's retransmission timer: whether it runs, and where it stands.
    bool timer_runs;
    struct timeval *timer;
    int peer_alert;
    int state;
    const char *error;
    // What of a datagram is handed on; see `keep_records`.
    uint8_t records[8192];
};

// MARK: - Datagrams in and out

// OpenSSL 3.0 has no memory BIO for datagrams, and its stream one would join them: this one keeps their boundaries.

static int datagram_read(BIO *bio, char *out, int room) {
    cdtls_association *self = openssl.BIO_get_data(bio);
    openssl.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (!self->input || room < 0) {
        openssl.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    int count = self->input_count < room ? self->input_count : room;
    memcpy(out, self->input, (size_t)count);
    if (!self->peeks) self->input = NULL;
    return count;
}

static int datagram_write(BIO *bio, const char *bytes, int count) {
    cdtls_association *self = openssl.BIO_get_data(bio);
    openssl.BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    if (count > 0) self->owner.send(self->owner.context, (const uint8_t *)bytes, count);
    return count;
}

// OpenSSL's timer goes by the wall clock. Until 3.1 it hands the timer itself to the BIO when it starts it: put far ahead
// it never fires by itself, and `cdtls_retransmit` puts it into the past when the time has come by the owner's clock, which may
// be a virtual one. Since 3.2 it hands out a copy, and the wall clock stays.
static void note_timer(cdtls_association *self, struct timeval *timer) {
    self->timer_runs = timer->tv_sec != 0 || timer->tv_usec != 0;
    if (!openssl.timer_is_ours) return;
    self->timer = timer;
    if (self->timer_runs) timer->tv_sec = INT_MAX;
}

static long datagram_control(BIO *bio, int command, long number, void *pointer) {
    cdtls_association *self = openssl.BIO_get_data(bio);
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_DGRAM_SET_PEEK_MODE: self->peeks = number != 0; return 1;
    case BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT: note_timer(self, pointer); return 1;
    // Headers of UDP and IPv6.
    case BIO_CTRL_DGRAM_GET_MTU_OVERHEAD: return 48;
    default: return 0;
    }
}

BIO_METHOD *cdtls_make_datagrams(void) {
    BIO_METHOD *method = openssl.BIO_meth_new(openssl.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams in memory");
    if (!method) return NULL;
    openssl.BIO_meth_set_read(method, datagram_read);
    openssl.BIO_meth_set_write(method, datagram_write);
    openssl.BIO_meth_set_ctrl(method, datagram_control);
    return method;
}

// MARK: - What OpenSSL asks

static cdtls_association *association_of(const SSL *ssl) { return openssl.SSL_get_ex_data(ssl, 0); }

// Nothing of a self-signed certificate is verified but that it is the one whose fingerprint was told.
int cdtls_verify(X509_STORE_CTX *store, void *unused) {
    (void)unused;
    SSL *ssl = openssl.X509_STORE_CTX_get_ex_data(store, openssl.SSL_get_ex_data_X509_STORE_CTX_idx());
    cdtls_association *self = association_of(ssl);
    X509 *certificate = openssl.X509_STORE_CTX_get0_cert(store);
    EVP_PKEY *key = certificate ? openssl.X509_get0_pubkey(certificate) : NULL;
    unsigned char *bytes = NULL;
    int count = key ? openssl.i2d_X509(certificate, NULL) : 0;
    if (count <= 0 || !(bytes = malloc((size_t)count))) return 0;
    unsigned char *end = bytes;
    openssl.i2d_X509(certificate, &end);
    bool is_rsa = openssl.EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA;
    bool accepted = self->owner.accept(self->owner.context, bytes, count, is_rsa, openssl.EVP_PKEY_get_bits(key));
    free(bytes);
    return accepted;
}

// A cookie is what only we can make of the source's address: nothing need be kept to know it again (RFC 6347 section 4.2.1).
int cdtls_make_cookie(SSL *ssl, unsigned char *cookie, unsigned int *length) {
    cdtls_association *self = association_of(ssl);
    return openssl.HMAC(
               openssl.EVP_sha256(), self->identity->cookie_secret, sizeof self->identity->cookie_secret, self->source,
               (size_t)self->source_count, cookie, length) != NULL;
}

int cdtls_check_cookie(SSL *ssl, const unsigned char *cookie, unsigned int length) {
    unsigned char expected[EVP_MAX_MD_SIZE];
    unsigned int expected_length = 0;
    if (!cdtls_make_cookie(ssl, expected, &expected_length) || length != expected_length) return 0;
    unsigned char difference = 0;
    for (unsigned i = 0; i < length; i++) difference |= cookie[i] ^ expected[i];
    return difference == 0;
}

void cdtls_note_alert(const SSL *ssl, int where, int value) {
    if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) association_of(ssl)->peer_alert = value & 0xff;
}

int cdtls_timeout(int former) {
    if (former <= 0) return 100;
    return former < 800 ? 2 * former : 1600;
}

// In microseconds. It counts only where the timer is not ours.
static unsigned int next_timeout(SSL *ssl, unsigned int former) {
    (void)ssl;
    return (unsigned)cdtls_timeout((int)(former / 1000)) * 1000;
}

// MARK: - An association

cdtls_association *cdtls_create(
    cdtls_identity *identity, bool is_active, const char *profiles, int mtu, cdtls_owner owner) {
    cdtls_association *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->identity = identity;
    self->owner = owner;
    self->peer_alert = -1;
    self->ssl = openssl.SSL_new(identity->context);
    BIO *bio = self->ssl ? openssl.BIO_new(openssl.datagrams) : NULL;
    if (!bio) goto fail;
    openssl.BIO_set_data(bio, self);
    openssl.BIO_set_init(bio, 1);
    openssl.SSL_set_bio(self->ssl, bio, bio);
    // Without it OpenSSL's questions would find nobody.
    if (openssl.SSL_set_ex_data(self->ssl, 0, self) != 1) goto fail;
    // 0 is success here.
    if (openssl.SSL_set_tlsext_use_srtp(self->ssl, profiles) != 0) goto fail;
    openssl.SSL_ctrl(self->ssl, SSL_CTRL_SET_MTU, mtu, NULL);
    openssl.DTLS_set_timer_cb(self->ssl, next_timeout);
    if (is_active) {
        openssl.SSL_set_connect_state(self->ssl);
    } else {
        openssl.SSL_set_accept_state(self->ssl);
    }
    return self;
fail:
    cdtls_free(self);
    return NULL;
}

void cdtls_free(cdtls_association *self) {
    if (!self) return;
    openssl.SSL_free(self->ssl);
    openssl.ERR_clear_error();
    free(self);
}

void cdtls_set_owner(cdtls_association *self, cdtls_owner owner) { self->owner = owner; }

static int fail(cdtls_association *self) {
    self->state = CDTLS_FAILED;
    unsigned long code = openssl.ERR_peek_error();
    self->error = code ? openssl.ERR_reason_error_string(code) : NULL;
    openssl.ERR_clear_error();
    return self->state;
}

// Bytes that a record's cipher adds at least. OpenSSL takes a shorter record of AES-GCM or CCM for an internal error, and ends
// the association by it, though anybody can make one.
static int least_length(const cdtls_association *self) {
    if (self->state != CDTLS_CONNECTED) return 24;
    const char *name = cdtls_cipher(self);
    if (!name || strstr(name, "CCM8")) return 16;
    return strstr(name, "GCM") || strstr(name, "CCM") ? 24 : 16;
}

// Leaves out what nobody's key can have made, so that only authenticated records decide over an association that stands: those of
// other epochs than ours (there is no second handshake), broken ones, those that are too short.
static bool keep_records(cdtls_association *self, const uint8_t *bytes, int count) {
    enum { header = 13, alert = 21, application_data = 23 };
    int kept = 0, least = least_length(self);
    for (int at = 0; at + header <= count;) {
        int type = bytes[at], epoch = bytes[at + 3] << 8 | bytes[at + 4];
        int length = bytes[at + 11] << 8 | bytes[at + 12], whole = header + length;
        if (whole > count - at || whole > (int)sizeof self->records - kept) break;
        bool is_kept = epoch == 0 || length >= least;
        if (self->state == CDTLS_CONNECTED) {
            bool is_known = type >= alert && type <= application_data && bytes[at + 1] == 0xfe && bytes[at + 2] == 0xfd;
            is_kept = epoch == 1 && is_known && length >= least;
        }
        if (is_kept) {
            memcpy(self->records + kept, bytes + at, (size_t)whole);
            kept += whole;
        }
        at += whole;
    }
    self->input = kept ? self->records : NULL;
    self->input_count = kept;
    return kept > 0;
}

// What the result of an OpenSSL call means.
static int judge(cdtls_association *self, int result) {
    switch (openssl.SSL_get_error(self->ssl, result)) {
    case SSL_ERROR_NONE:
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return self->state;
    case SSL_ERROR_ZERO_RETURN:
        return self->state = CDTLS_CLOSED;
    default:
        return fail(self);
    }
}

int cdtls_state(const cdtls_association *self) { return self->state; }

int cdtls_start(cdtls_association *self) {
    if (self->state != CDTLS_HANDSHAKING) return self->state;
    openssl.ERR_clear_error();
    int result = openssl.SSL_do_handshake(self->ssl);
    if (result == 1) return self->state = CDTLS_CONNECTED;
    return judge(self, result);
}

int cdtls_receive(cdtls_association *self, const uint8_t *bytes, int count) {
    if (self->state >= CDTLS_CLOSED || !keep_records(self, bytes, count)) return self->state;
    if (self->state == CDTLS_HANDSHAKING) cdtls_start(self);
    if (self->state == CDTLS_CONNECTED) {
        // Takes what is no application data too: a peer's last flight again, an alert.
        uint8_t nothing;
        openssl.ERR_clear_error();
        int result = openssl.SSL_read(self->ssl, &nothing, 0);
        if (result < 0 || (openssl.SSL_get_shutdown(self->ssl) & SSL_RECEIVED_SHUTDOWN)) judge(self, result);
    }
    if (self->state != CDTLS_CONNECTED) self->input = NULL;
    return self->state;
}

int cdtls_read(cdtls_association *self, uint8_t *out, int room) {
    if (self->state != CDTLS_CONNECTED) return 0;
    openssl.ERR_clear_error();
    int result = openssl.SSL_read(self->ssl, out, room);
    if (result > 0) return result;
    judge(self, result);
    // The datagram is the caller's: it is gone after this.
    self->input = NULL;
    return 0;
}

bool cdtls_write(cdtls_association *self, const uint8_t *bytes, int count) {
    if (self->state != CDTLS_CONNECTED || count <= 0) return false;
    openssl.ERR_clear_error();
    bool is_sent = openssl.SSL_write(self->ssl, bytes, count) == count;
    openssl.ERR_clear_error();
    return is_sent;
}

void cdtls_close(cdtls_association *self) {
    if (self->state == CDTLS_CONNECTED) openssl.SSL_shutdown(self->ssl);
    if (self->state < CDTLS_CLOSED) self->state = CDTLS_CLOSED;
    openssl.ERR_clear_error();
}

int cdtls_listen(cdtls_association *self, const uint8_t *source, int source_count, const uint8_t *bytes, int count) {
    if (source_count < 0 || source_count > (int)sizeof self->source) return 0;
    BIO_ADDR *nobody = openssl.BIO_ADDR_new();
    if (!nobody) return 0;
    memcpy(self->source, source, (size_t)source_count);
    self->source_count = source_count;
    self->input = bytes;
    self->input_count = count;
    int result = openssl.DTLSv1_listen(self->ssl, nobody);
    openssl.BIO_ADDR_free(nobody);
    openssl.ERR_clear_error();
    self->input = NULL;
    self->peeks = false;
    return result == 1;
}

// MARK: - Time

bool cdtls_awaits_answer(const cdtls_association *self) { return self->timer_runs && self->state == CDTLS_HANDSHAKING; }

int cdtls_retransmit(cdtls_association *self) {
    if (!cdtls_awaits_answer(self)) return 0;
    if (self->timer) {
        self->timer->tv_sec = 1;
        self->timer->tv_usec = 0;
    }
    openssl.ERR_clear_error();
    long result = openssl.SSL_ctrl(self->ssl, DTLS_CTRL_HANDLE_TIMEOUT, 0, NULL);
    if (result < 0) fail(self);
    return result > 0 ? 1 : (int)result;
}

// MARK: - Results

int cdtls_profile(const cdtls_association *self) {
    const SRTP_PROTECTION_PROFILE *profile = openssl.SSL_get_selected_srtp_profile(self->ssl);
    return profile ? (int)profile->id : 0;
}

bool cdtls_export(cdtls_association *self, uint8_t *out, int count) {
    static const char label[] = "EXTRACTOR-dtls_srtp";
    return self->state == CDTLS_CONNECTED && count > 0 &&
           openssl.SSL_export_keying_material(self->ssl, out, (size_t)count, label, sizeof label - 1, NULL, 0, 0) == 1;
}

const char *cdtls_cipher(const cdtls_association *self) {
    const SSL_CIPHER *cipher = openssl.SSL_get_current_cipher(self->ssl);
    return cipher ? openssl.SSL_CIPHER_get_name(cipher) : NULL;
}

int cdtls_peer_alert(const cdtls_association *self) { return self->peer_alert; }

const char *cdtls_error(const cdtls_association *self) { return self->error; }
