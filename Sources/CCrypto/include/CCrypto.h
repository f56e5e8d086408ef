// libcrypto as Swift can import it.
#pragma once
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stddef.h>
#include <stdint.h>

/// AES-128 of one block of 16 bytes. FIPS 197.
void crypto_aes128(const uint8_t *key, const uint8_t *plain, uint8_t *enciphered);

/// HMAC-SHA-256 with a key of 32 bytes; the proof has 32. RFC 2104.
void crypto_hmac256(const uint8_t *key, const void *data, size_t length, uint8_t *proof);
