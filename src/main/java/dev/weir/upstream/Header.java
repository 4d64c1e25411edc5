package dev.weir.upstream;

import java.util.Locale;

/**
 * One header line. A name may come more than once in a list of them, and their order is kept.
 *
 * @param name  as it was sent; names differ by more than case
 * @param value without the white space around it
 */
public record Header(String name, String value) {

    /** Whether a server may take the name of this one for that of the other. */
    boolean hasNameOf(Header other) {
        return key(name).equals(key(other.name));
    }

    /** Servers that hand headers on as variables take an underscore for a hyphen, so it is one here as well. */
    public static String key(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
