package dev.weir.auth;

/**
 * What calls are counted under: a client, one of its keys, the subject of a token, or an address that they come from. Buckets, strikes and bans are
 * kept under a principal's {@link #key}. Immutable.
 */
public final class Principal {

    /** How a principal is known. */
    public enum Kind {
        /** A client that has proven itself. */
        CLIENT("client"),
        /** One key of a client. */
        KEY("key"),
        /** Whoever has granted a token. */
        USER("user"),
        /** An address that nobody has proven anything about. */
        ADDRESS("address"),
        /** What calls itself by one name at one address. */
        AGENT("agent");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    /** Hexadecimal digits of a digest that tell principals apart: 64 bits. */
    private static final int DIGITS = 16;

    private static final int LONGEST_SUBJECT = 128;

    private final Kind kind;
    private final String name;
    private final String key;

    private Principal(Kind kind, String name) {
        this.kind = kind;
        this.name = name;
        this.key = kind.word + ":" + name;
    }

    /** The client of this id. */
    public static Principal client(String id) {
        return new Principal(Kind.CLIENT, id);
    }

    /**
     * One key of a client, known by the beginning of its digest, which tells nothing of the key.
     *
     * @param digest as {@link ApiKey#digest} makes it
     */
    public static Principal key(String digest) {
        return new Principal(Kind.KEY, digest.substring(0, Math.min(digest.length(), DIGITS)));
    }

    /** The subject of a token; of one that is long, or not in plain characters, the digest stands for it. */
    public static Principal user(String subject) {
        boolean plain = subject.length() <= LONGEST_SUBJECT
                && subject.chars().allMatch(next -> next > ' ' && next < 0x7f)
                && !subject.startsWith("~");
        return new Principal(Kind.USER, plain ? subject : "~" + Sha256.hex(subject));
    }

    /** The holder of this address, as {@link ClientAddress#block} writes it. */
    public static Principal address(String block) {
        return new Principal(Kind.ADDRESS, block);
    }

    /**
     * Those at an address, as {@link ClientAddress#block} writes it, that send this {@code User-Agent}. Its digest stands for
     * it, because it may be long and hold anything.
     */
    public static Principal agent(String block, String userAgent) {
        return new Principal(Kind.AGENT, block + " " + Sha256.hex(userAgent).substring(0, DIGITS));
    }

    /**
     * The principal of a key, as {@link #key} writes it, however it came to be.
     *
     * @throws IllegalArgumentException if there can be none of this key
     */
    public static Principal of(String key) {
        int colon = key.indexOf(':');
        String word = key.substring(0, Math.max(0, colon));
        String name = key.substring(colon + 1);
        for (Kind kind : Kind.values()) {
            if (kind.word.equals(word) && !name.isBlank()) {
                return new Principal(kind, name);
            }
        }
        throw new IllegalArgumentException(
                "a principal is client:, key:, user:, address: or agent: and a name, not [" + key + "]");
    }

    /** How it is known. */
    public Kind kind() {
        return kind;
    }

    /** The client's id, the beginning of the key's digest, the subject, the address, or the address and the beginning of a digest. */
    public String name() {
        return name;
    }

    /**
     * The kind's word, a colon and the name: different for any two principals, because no kind's word has a colon, so that
     * the first colon always ends the word, whatever the name holds. An agent's digest has a fixed length, and so its address
     * ends where that begins.
     */
    public String key() {
        return key;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Principal that && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return key;
    }
}
