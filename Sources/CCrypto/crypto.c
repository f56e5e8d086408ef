// libcrypto deprecates these functions. Its new ones load providers, names and configuration at their first use: 2.1 MB of resident
// memory to encrypt single blocks.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CCrypto.h"
#include <openssl/aes.h>
#include <openssl/sha.h>

void crypto_aes128(const uint8_t *key, const uint8_t *plain, uint8_t *enciphered) {
  AES_KEY schedule;
  AES_set_encrypt_key(key, 128, &schedule);
  AES_encrypt(plain, enciphered, &schedule);
}

static void start(SHA256_CTX *context, const uint8_t *key, uint8_t pad) {
  uint8_t block[SHA256_CBLOCK];
  for (size_t i = 0; i < sizeof block; i++) block[i] = (uint8_t)((i < 32 ? key[i] : 0) ^ pad);
  SHA256_Init(context);
  SHA256_Update(context, block, sizeof block);
}

void crypto_prove_word(const uint8_t *key, const void *topic, size_t topic_length, const void *payload, size_t payload_length,
                       uint8_t *proof) {
  SHA256_CTX context;
  uint8_t inner[SHA256_DIGEST_LENGTH];
  start(&context, key, 0x36);
  SHA256_Update(&context, topic, topic_length);
  SHA256_Update(&context, "", 1);
  SHA256_Update(&context, payload, payload_length);
  SHA256_Update(&context, "}", 1);
  SHA256_Final(inner, &context);
  start(&context, key, 0x5c);
  SHA256_Update(&context, inner, sizeof inner);
  SHA256_Final(proof, &context);
}
