// libcrypto for Swift.
#pragma once
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stddef.h>
#include <stdint.h>

/// AES-128 of one block of 16 bytes. FIPS 197.
void crypto_aes128(const uint8_t *key, const uint8_t *plain, uint8_t *enciphered);

/// HMAC-SHA-256 with a key of 32 bytes, of a topic, a zero, a payload without its closing brace, and the brace. The proof has 32 bytes. RFC 2104.
void crypto_prove_word(const uint8_t *key, const void *topic, size_t topic_length, const void *payload, size_t payload_length,
                       uint8_t *proof);
