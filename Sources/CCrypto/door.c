// libcrypto calls these functions old. Its new ones load providers, names and configuration at their first use: 2.1 MB resident, for
// one block at a time.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CCrypto.h"
#include <openssl/aes.h>
#include <openssl/sha.h>

void crypto_aes128(const uint8_t *key, const uint8_t *plain, uint8_t *enciphered) {
  AES_KEY schedule;
  AES_set_encrypt_key(key, 128, &schedule);
  AES_encrypt(plain, enciphered, &schedule);
}

static void digest(const uint8_t *key, uint8_t pad, const void *data, size_t length, uint8_t *out) {
  uint8_t block[SHA256_CBLOCK];
  for (size_t i = 0; i < sizeof block; i++) block[i] = (uint8_t)((i < 32 ? key[i] : 0) ^ pad);
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, block, sizeof block);
  SHA256_Update(&context, data, length);
  SHA256_Final(out, &context);
}

void crypto_hmac256(const uint8_t *key, const void *data, size_t length, uint8_t *proof) {
  uint8_t inner[SHA256_DIGEST_LENGTH];
  digest(key, 0x36, data, length, inner);
  digest(key, 0x5c, inner, sizeof inner, proof);
}
