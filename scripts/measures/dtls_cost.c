/* What libssl takes for a handshake as a call makes it, over memory: does COUNT of them, both sides of each. DTLS 1.2, ECDSA certificates on
   P-256 of both sides, an SRTP profile; no cookies.

       dtls_cost COUNT */
#include <openssl/ec.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>

enum { MTU = 1200, TURNS = 20 };

static int accept_any(X509_STORE_CTX *store, void *unused) {
    (void)store, (void)unused;
    return 1;
}

/* An identity of its own, and what it wants of the other side. */
static SSL_CTX *make_side(void) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    SSL_CTX *context = SSL_CTX_new(DTLS_method());
    if (!key || !certificate || !context) exit(1);
    X509_set_version(certificate, 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 24 * 3600L);
    X509_set_pubkey(certificate, key);
    if (!X509_sign(certificate, key, EVP_sha256())) exit(1);
    SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION);
    SSL_CTX_set_max_proto_version(context, DTLS1_2_VERSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(context, accept_any, NULL);
    if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM") != 1 || SSL_CTX_use_certificate(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey(context, key) != 1 || SSL_CTX_set_tlsext_use_srtp(context, "SRTP_AEAD_AES_256_GCM") != 0)
        exit(1);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

static SSL *begin(SSL_CTX *context, BIO *input, BIO *output) {
    SSL *side = SSL_new(context);
    if (!side || !BIO_up_ref(input) || !BIO_up_ref(output)) exit(1);
    SSL_set_bio(side, input, output);
    SSL_set_mtu(side, MTU);
    return side;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    SSL_CTX *active = make_side(), *passive = make_side();
    for (long left = atol(argv[1]); left > 0; left--) {
        BIO *there = BIO_new(BIO_s_mem()), *back = BIO_new(BIO_s_mem());
        if (!there || !back) return 1;
        BIO_set_mem_eof_return(there, -1);
        BIO_set_mem_eof_return(back, -1);
        SSL *client = begin(active, back, there), *server = begin(passive, there, back);
        SSL_set_connect_state(client);
        SSL_set_accept_state(server);
        for (int turn = 0; turn < TURNS && !(SSL_is_init_finished(client) && SSL_is_init_finished(server)); turn++) {
            SSL_do_handshake(client);
            SSL_do_handshake(server);
        }
        if (!SSL_is_init_finished(client) || !SSL_get_selected_srtp_profile(server)) return 1;
        SSL_free(client);
        SSL_free(server);
        BIO_free(there);
        BIO_free(back);
    }
    SSL_CTX_free(active);
    SSL_CTX_free(passive);
    return 0;
}
