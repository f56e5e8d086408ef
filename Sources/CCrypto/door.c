// libcrypto calls these functions old. Its new ones load providers, names and configuration at their first use: 2.1 MB resident, for
// one block at a time.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CCrypto.h"
#include <openssl/aes.h>

void crypto_aes128(const uint8_t *key, const uint8_t *plain, uint8_t *enciphered) {
  AES_KEY schedule;
  AES_set_encrypt_key(key, 128, &schedule);
  AES_encrypt(plain, enciphered, &schedule);
}
