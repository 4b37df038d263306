#include "csrtpciphers.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <srtp2/cipher.h>
#include <srtp2/crypto_types.h>
#include <srtp2/srtp.h>

#define FUNCTIONS(X)                                                                                      \
    X(EVP_CIPHER_CTX_new) X(EVP_CIPHER_CTX_free) X(EVP_CIPHER_CTX_ctrl) X(EVP_CipherInit_ex)              \
    X(EVP_CipherUpdate) X(EVP_CipherFinal_ex) X(EVP_CIPHER_fetch) X(OPENSSL_cleanse)

static struct {
#define X(name) __typeof__(name) *name;
    FUNCTIONS(X)
#undef X
} openssl;

enum { NONCE = 12, COUNTER = 16, TAGS = 16 };

// What a cipher of libsrtp2 keeps.
typedef struct {
    EVP_CIPHER_CTX *context;
    const EVP_CIPHER *cipher;
    int tag_length;
    // Of counter mode: the salt, which each packet's nonce is joined with (RFC 3711 section 4.1.1).
    uint8_t salt[COUNTER];
    int key_length;
} state;

// The kinds there are: key with salt, key, libsrtp2's number.
typedef struct {
    srtp_cipher_type_t type;
    int full_length, key_length;
    bool is_counted;
    const char *name;
    const EVP_CIPHER *cipher;
} kind;

static kind kinds[];

// MARK: - Life

static srtp_err_status_t make(srtp_cipher_pointer_t *out, kind *which, int tag_length) {
    srtp_cipher_t *cipher = calloc(1, sizeof *cipher);
    state *own = calloc(1, sizeof *own);
    EVP_CIPHER_CTX *context = own ? openssl.EVP_CIPHER_CTX_new() : NULL;
    if (!cipher || !context) {
        openssl.EVP_CIPHER_CTX_free(context);
        free(cipher);
        free(own);
        return srtp_err_status_alloc_fail;
    }
    own->context = context;
    own->cipher = which->cipher;
    own->tag_length = tag_length;
    own->key_length = which->key_length;
    cipher->type = &which->type;
    cipher->state = own;
    cipher->key_len = which->full_length;
    cipher->algorithm = (int)which->type.id;
    *out = cipher;
    return srtp_err_status_ok;
}

static srtp_err_status_t end(srtp_cipher_pointer_t cipher) {
    if (!cipher) return srtp_err_status_ok;
    state *own = cipher->state;
    if (own) {
        openssl.EVP_CIPHER_CTX_free(own->context);
        openssl.OPENSSL_cleanse(own, sizeof *own);
        free(own);
    }
    free(cipher);
    return srtp_err_status_ok;
}

static kind *find(int full_length, bool is_counted);

static srtp_err_status_t make_gcm(srtp_cipher_pointer_t *out, int key_length, int tag_length) {
    kind *which = find(key_length, false);
    if (!which || (tag_length != TAGS && tag_length != TAGS / 2)) return srtp_err_status_bad_param;
    return make(out, which, tag_length);
}

static srtp_err_status_t make_counted(srtp_cipher_pointer_t *out, int key_length, int tag_length) {
    (void)tag_length;
    kind *which = find(key_length, true);
    return which ? make(out, which, 0) : srtp_err_status_bad_param;
}

static srtp_err_status_t set_key(void *pointer, const uint8_t *key) {
    state *own = pointer;
    return openssl.EVP_CipherInit_ex(own->context, own->cipher, NULL, key, NULL, 1) == 1 ? srtp_err_status_ok
                                                                                         : srtp_err_status_init_fail;
}

static srtp_err_status_t set_counted_key(void *pointer, const uint8_t *key) {
    state *own = pointer;
    memset(own->salt, 0, sizeof own->salt);
    memcpy(own->salt, key + own->key_length, SRTP_SALT_LEN);
    return set_key(own, key);
}

// MARK: - Packets

static srtp_err_status_t set_nonce(void *pointer, uint8_t *nonce, srtp_cipher_direction_t direction) {
    state *own = pointer;
    int encrypts = direction == srtp_direction_encrypt;
    if (openssl.EVP_CipherInit_ex(own->context, NULL, NULL, NULL, nonce, encrypts) != 1) return srtp_err_status_init_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t set_counter(void *pointer, uint8_t *nonce, srtp_cipher_direction_t direction) {
    (void)direction;
    state *own = pointer;
    uint8_t counter[COUNTER];
    for (int index = 0; index < COUNTER; index++) counter[index] = own->salt[index] ^ nonce[index];
    // Counter mode is the same both ways.
    if (openssl.EVP_CipherInit_ex(own->context, NULL, NULL, NULL, counter, 1) != 1) return srtp_err_status_init_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t authenticate(void *pointer, const uint8_t *bytes, uint32_t count) {
    state *own = pointer;
    int length = 0;
    int done = openssl.EVP_CipherUpdate(own->context, NULL, &length, bytes, (int)count);
    return done == 1 ? srtp_err_status_ok : srtp_err_status_algo_fail;
}

static srtp_err_status_t apply(void *pointer, uint8_t *bytes, unsigned *count) {
    state *own = pointer;
    int length = 0;
    if (*count == 0) return srtp_err_status_ok;
    if (openssl.EVP_CipherUpdate(own->context, bytes, &length, bytes, (int)*count) != 1) return srtp_err_status_cipher_fail;
    *count = (unsigned)length;
    return srtp_err_status_ok;
}

static srtp_err_status_t take_tag(void *pointer, uint8_t *tag, uint32_t *count) {
    state *own = pointer;
    uint8_t rest[COUNTER];
    int length = 0;
    // The end of a stream cipher brings no bytes, but the tag.
    if (openssl.EVP_CipherFinal_ex(own->context, rest, &length) != 1 ||
        openssl.EVP_CIPHER_CTX_ctrl(own->context, EVP_CTRL_AEAD_GET_TAG, own->tag_length, tag) != 1)
        return srtp_err_status_algo_fail;
    *count = (uint32_t)own->tag_length;
    return srtp_err_status_ok;
}

static srtp_err_status_t decrypt(void *pointer, uint8_t *bytes, unsigned *count) {
    state *own = pointer;
    if (*count < (unsigned)own->tag_length) return srtp_err_status_bad_param;
    int length = (int)*count - own->tag_length, done = 0;
    uint8_t rest[COUNTER];
    if (openssl.EVP_CIPHER_CTX_ctrl(own->context, EVP_CTRL_AEAD_SET_TAG, own->tag_length, bytes + length) != 1)
        return srtp_err_status_algo_fail;
    if (length > 0 && openssl.EVP_CipherUpdate(own->context, bytes, &done, bytes, length) != 1)
        return srtp_err_status_auth_fail;
    if (openssl.EVP_CipherFinal_ex(own->context, rest, &done) != 1) return srtp_err_status_auth_fail;
    *count = (unsigned)length;
    return srtp_err_status_ok;
}

// MARK: - Kinds

#define GCM(number, text, full, key)                                                                                   \
    {.type = {.alloc = make_gcm, .dealloc = end, .init = set_key, .set_aad = authenticate, .encrypt = apply,            \
              .decrypt = decrypt, .set_iv = set_nonce, .get_tag = take_tag, .description = text " by OpenSSL",          \
              .id = number},                                                                                           \
     .full_length = full, .key_length = key, .is_counted = false, .name = text}
#define COUNTED(number, text, full, key)                                                                               \
    {.type = {.alloc = make_counted, .dealloc = end, .init = set_counted_key, .encrypt = apply, .decrypt = apply,       \
              .set_iv = set_counter, .description = text " by OpenSSL", .id = number},                                  \
     .full_length = full, .key_length = key, .is_counted = true, .name = text}

static kind kinds[] = {
    GCM(SRTP_AES_GCM_128, "AES-128-GCM", SRTP_AES_GCM_128_KEY_LEN_WSALT, SRTP_AES_128_KEY_LEN),
    GCM(SRTP_AES_GCM_256, "AES-256-GCM", SRTP_AES_GCM_256_KEY_LEN_WSALT, SRTP_AES_256_KEY_LEN),
    COUNTED(SRTP_AES_ICM_128, "AES-128-CTR", SRTP_AES_ICM_128_KEY_LEN_WSALT, SRTP_AES_128_KEY_LEN),
    COUNTED(SRTP_AES_ICM_256, "AES-256-CTR", SRTP_AES_ICM_256_KEY_LEN_WSALT, SRTP_AES_256_KEY_LEN),
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static kind *find(int full_length, bool is_counted) {
    for (int index = 0; index < KINDS; index++)
        if (kinds[index].full_length == full_length && kinds[index].is_counted == is_counted) return &kinds[index];
    return NULL;
}

const char *csrtp_use_openssl(void *srtp) {
    __typeof__(srtp_replace_cipher_type) *replace =
        (__typeof__(replace))dlsym(srtp, "srtp_replace_cipher_type");
    // The library's own, whose test vectors the new ones must pass too.
    const srtp_cipher_type_t *(*former)(srtp_cipher_type_id_t) =
        (const srtp_cipher_type_t *(*)(srtp_cipher_type_id_t))dlsym(srtp, "srtp_crypto_kernel_get_cipher_type");
    if (!replace || !former) return "libsrtp2 takes no other ciphers";
    void *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!crypto) return "OpenSSL 3 is not installed (Debian: libssl3)";
#define X(name)                                                                 \
    openssl.name = (__typeof__(openssl.name))dlsym(crypto, #name);              \
    if (!openssl.name) return "OpenSSL is too old or built without " #name;
    FUNCTIONS(X)
#undef X
    for (int index = 0; index < KINDS; index++) {
        kind *which = &kinds[index];
        const srtp_cipher_type_t *there = former(which->type.id);
        which->cipher = openssl.EVP_CIPHER_fetch(NULL, which->name, NULL);
        if (!there || !which->cipher) return "libsrtp2 or OpenSSL lacks a cipher";
        which->type.test_data = there->test_data;
        if (replace(&which->type, which->type.id) != srtp_err_status_ok)
            return "OpenSSL's ciphers do not pass libsrtp2's tests";
    }
    return NULL;
}
