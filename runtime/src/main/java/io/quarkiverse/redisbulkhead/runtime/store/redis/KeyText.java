package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** Writes the key values of users, which may be anything, as parts of keys in Redis. */
final class KeyText {

    /** What is longer than that is replaced by its digest. */
    static final int MOST_CHARACTERS = 120;

    private static final String HARMLESS = "-._~@/,=:+";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private KeyText() {
    }

    /** The text in percent-encoding; empty when it is too long, or has half a character (an unpaired surrogate). */
    static Optional<String> encoded(String key) {
        if (key.length() > MOST_CHARACTERS) {
            return Optional.empty();
        }
        ByteBuffer bytes;
        try {
            bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (isHarmless(next)) {
                text.append((char) next);
            } else {
                text.append('%');
                HEX.toHexDigits(text, next);
            }
        }
        return text.length() > MOST_CHARACTERS ? Optional.empty() : Optional.of(text.toString());
    }

    /** The text that was encoded; empty when it was not. */
    static Optional<String> decoded(String encoded) {
        ByteBuffer bytes = ByteBuffer.allocate(encoded.length());
        try {
            for (int i = 0; i < encoded.length(); i++) {
                char next = encoded.charAt(i);
                if (next == '%') {
                    bytes.put((byte) HexFormat.fromHexDigits(encoded, i + 1, i + 3));
                    i += 2;
                } else if (next < 0x80) {
                    bytes.put((byte) next);
                } else {
                    return Optional.empty();
                }
            }
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString());
        } catch (CharacterCodingException | IllegalArgumentException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static boolean isHarmless(byte b) {
        return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b > 0 && HARMLESS.indexOf(b) >= 0;
    }

    /** The SHA-256 digest of the UTF-16 characters, which differ for any two texts. */
    static String digest(String key) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            ByteBuffer characters = ByteBuffer.allocate(8 * 1024);
            for (int i = 0; i < key.length(); i++) {
                if (!characters.hasRemaining()) {
                    sha256.update(characters.flip());
                    characters.clear();
                }
                characters.putChar(key.charAt(i));
            }
            sha256.update(characters.flip());
            return HexFormat.of().formatHex(sha256.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
