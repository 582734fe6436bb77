package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * The keys of one bulkhead: {@code prefix:{name}:shares} and so on, or {@code prefix:{name%:key}:shares} where it has one
 * limit for each key. The braces are a hash tag: in a cluster all keys of one bulkhead and key lie in one slot.
 * <p>
 * No name and no key reaches the data of another. Braces and percent signs within a name are percent-encoded, so that it
 * neither ends the tag nor looks like a name and a key. A key is encoded as in the query of a URL; one that is long, or no
 * Unicode text, is replaced by its SHA-256 digest: {@code prefix:{name%#digest}:shares}.
 */
public final class BulkheadKeys {

    /** A longer key is replaced by its digest. */
    private static final int MOST_CHARACTERS = 120;

    // Names have no percent sign before these, as theirs are encoded.
    private static final String TEXT_FOLLOWS = "%:";
    private static final String DIGEST_FOLLOWS = "%#";

    /** What the key of the shares ends with, which exists while the bulkhead is in use. */
    private static final String END_OF_SHARES = "}:shares";

    private final BulkheadId bulkhead;
    private final String start;
    private final String shown;

    /**
     * The keys of a bulkhead.
     *
     * @param prefix what all keys start with; without braces
     * @param bulkhead the bulkhead
     */
    public BulkheadKeys(String prefix, BulkheadId bulkhead) {
        this.bulkhead = bulkhead;
        String ofName = prefix + ":{" + encodedName(bulkhead.name());
        this.start = ofName + (bulkhead.key().isPresent() ? keyPart(bulkhead.key().get()) : "") + "}:";
        this.shown = ofName + (bulkhead.key().isPresent() ? "%*" : "") + "}:";
    }

    private static String encodedName(String name) {
        return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }

    private static String keyPart(String key) {
        boolean isText = key.length() <= MOST_CHARACTERS && StandardCharsets.UTF_8.newEncoder().canEncode(key);
        String text = isText ? URLEncoder.encode(key, StandardCharsets.UTF_8) : "";
        if (isText && text.length() <= MOST_CHARACTERS) {
            return TEXT_FOLLOWS + text;
        }
        // Of the UTF-16 characters, which differ for any two texts.
        ByteBuffer characters = ByteBuffer.allocate(2 * key.length());
        characters.asCharBuffer().put(key);
        return DIGEST_FOLLOWS + digest("SHA-256", characters.array());
    }

    static String digest(String algorithm, byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has " + algorithm, e);
        }
    }

    /** What {@code SCAN} matches to find the shares of all bulkheads. */
    static String pattern(String prefix) {
        return prefix.replaceAll("([\\\\*?\\[\\]^-])", "\\\\$1") + ":{*" + END_OF_SHARES;
    }

    /** The bulkhead that has these shares; empty for other keys, and for keys that are only a digest. */
    static Optional<BulkheadId> idOf(String prefix, String redisKey) {
        return tag(prefix, redisKey).flatMap(tag -> {
            int mark = tag.indexOf(TEXT_FOLLOWS);
            BulkheadId name = BulkheadId.of(decodedName(mark < 0 ? tag : tag.substring(0, mark)));
            try {
                return Optional.of(mark < 0 ? name
                        : name.forKey(URLDecoder.decode(tag.substring(mark + TEXT_FOLLOWS.length()), StandardCharsets.UTF_8)));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }).filter(id -> new BulkheadKeys(prefix, id).shares().equals(redisKey));
    }

    /** The name of the bulkhead that has these shares, for one of its long keys. */
    static Optional<String> nameOfDigest(String prefix, String redisKey) {
        return tag(prefix, redisKey).filter(tag -> tag.contains(DIGEST_FOLLOWS))
                .map(tag -> decodedName(tag.substring(0, tag.indexOf(DIGEST_FOLLOWS))));
    }

    private static Optional<String> tag(String prefix, String redisKey) {
        String start = prefix + ":{";
        return redisKey.startsWith(start) && redisKey.endsWith(END_OF_SHARES)
                && redisKey.length() > start.length() + END_OF_SHARES.length()
                        ? Optional.of(redisKey.substring(start.length(), redisKey.length() - END_OF_SHARES.length()))
                        : Optional.empty();
    }

    private static String decodedName(String text) {
        return text.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
    }

    /** The bulkhead that has these keys. */
    public BulkheadId bulkhead() {
        return bulkhead;
    }

    /** The keys of the shares and of the queue of instances, as {@code share.lua} expects them. */
    public List<String> data() {
        return List.of(shares(), waiting());
    }

    /** The key of the shares. */
    String shares() {
        return start + "shares";
    }

    /** The key of the queue of instances. */
    String waiting() {
        return start + "waiting";
    }

    /** Whether the key of the bulkhead is too long, or no text, and is replaced by its digest. */
    boolean isDigest() {
        return start.contains(DIGEST_FOLLOWS);
    }

    /** The key of the lock that guards the data where there are no scripts. */
    String lock() {
        return start + "lock";
    }

    /** The common prefix of the keys, for messages, without the key of the bulkhead, which is confidential. */
    public String shown() {
        return shown;
    }

    /** What all of the keys start with, and by which a cluster finds them. */
    @Override
    public String toString() {
        return start;
    }
}
