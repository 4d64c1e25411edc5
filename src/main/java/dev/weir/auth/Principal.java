package dev.weir.auth;

/**
 * Who is calling, as far as it is proven. Buckets, strikes and bans are kept under a principal's {@link #key}.
 */
public final class Principal {

    /** How a principal is known. */
    public enum Kind {
        /** A client that has proven itself. */
        CLIENT("client"),
        /** An address that nobody has proven anything about. */
        ADDRESS("address");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

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

    /** The holder of this address, as {@link ClientAddress#block} writes it. */
    public static Principal address(String block) {
        return new Principal(Kind.ADDRESS, block);
    }

    /** How it is known. */
    public Kind kind() {
        return kind;
    }

    /** The client's id, or the address. */
    public String name() {
        return name;
    }

    /** The kind's word, a colon and the name: different for any two principals, because no kind's word has a colon. */
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
