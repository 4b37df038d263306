/* What libsrtp2 as it is installed takes for packets of G.711, 20 ms each: protects and unprotects COUNT of them by SUITE.

       srtp_cost SUITE COUNT        SUITE: AEAD_AES_128_GCM or AES_CM_128_HMAC_SHA1_80 */
#include <srtp2/crypto_types.h>
#include <srtp2/srtp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 12, PAYLOAD = 160, WINDOW = 256 };

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int is_gcm = !strcmp(argv[1], "AEAD_AES_128_GCM");
    long count = atol(argv[2]);
    uint8_t key[SRTP_MAX_KEY_LEN];
    for (unsigned index = 0; index < sizeof key; index++) key[index] = (uint8_t)(index * 7);
    srtp_policy_t policy;
    memset(&policy, 0, sizeof policy);
    if (is_gcm)
        srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
    else
        srtp_crypto_policy_set_rtp_default(&policy.rtp);
    policy.rtcp = policy.rtp;
    policy.key = key;
    policy.window_size = WINDOW;
    srtp_t sender, receiver;
    if (srtp_init()) return 1;
    policy.ssrc.type = ssrc_any_outbound;
    if (srtp_create(&sender, &policy)) return 1;
    policy.ssrc.type = ssrc_any_inbound;
    if (srtp_create(&receiver, &policy)) return 1;
    _Alignas(16) uint8_t packet[HEADER + PAYLOAD + SRTP_MAX_TRAILER_LEN];
    for (long number = 0; number < count; number++) {
        memset(packet, (int)number, sizeof packet);
        uint8_t header[HEADER] = {0x80, 0, (uint8_t)(number >> 8), (uint8_t)number, 0, 0, 0, 0, 1, 2, 3, 4};
        memcpy(packet, header, sizeof header);
        int length = HEADER + PAYLOAD;
        if (srtp_protect(sender, packet, &length) || srtp_unprotect(receiver, packet, &length)) return 1;
        if (length != HEADER + PAYLOAD || packet[HEADER] != (uint8_t)number) return 1;
    }
    return 0;
}
