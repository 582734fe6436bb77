package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What the token of a detached permit says: which permit, and the secret that proves it. The store keeps a digest of the secret
 * only, so a token cannot be made from permit ids and records.
 *
 * @param permitId the permit
 * @param secret 128 random bits in hexadecimal
 */
public record DetachedPermit(String permitId, String secret) {

    private static final int SECRET_BYTES = 16;
    private static final char SEPARATOR = '.';

    /** A permit that is going to be detached. */
    public static DetachedPermit of(String permitId, SecureRandom random) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new DetachedPermit(permitId, HexFormat.of().formatHex(secret));
    }

    /**
     * Reads a token.
     *
     * @throws IllegalArgumentException if the token is invalid; its message does not contain the token, which is a secret
     */
    public static DetachedPermit parse(String token) {
        int end = token == null ? -1 : token.lastIndexOf(SEPARATOR);
        if (end < 1 || token.length() - end - 1 != 2 * SECRET_BYTES || !token.chars().allMatch(DetachedPermit::mayBeInToken)) {
            throw new IllegalArgumentException("token must be what Permit.detach() returned, but is "
                    + (token == null ? "null" : "another text of " + token.length() + " characters"));
        }
        return new DetachedPermit(token.substring(0, end), token.substring(end + 1));
    }

    private static boolean mayBeInToken(int character) {
        return character >= 'a' && character <= 'z' || character >= '0' && character <= '9' || character == '-'
                || character == '_' || character == '*' || character == SEPARATOR;
    }

    public String token() {
        return permitId + SEPARATOR + secret;
    }

    /** What the store keeps. */
    public String digest() {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Each Java platform has SHA-256", e);
        }
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "DetachedPermit " + permitId;
    }
}
