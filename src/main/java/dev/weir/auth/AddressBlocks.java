package dev.weir.auth;

import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some addresses and blocks of addresses. Immutable. */
public final class AddressBlocks {

    /** No address. */
    public static final AddressBlocks NONE = new AddressBlocks(List.of());

    /** Every address. */
    public static final AddressBlocks ALL = of(List.of("0.0.0.0/0", "::/0"));

    private final List<AddressBlock> blocks;

    private AddressBlocks(List<AddressBlock> blocks) {
        this.blocks = blocks;
    }

    /**
     * These addresses.
     *
     * @param entries addresses, and blocks in CIDR notation
     * @throws IllegalArgumentException with an entry that is none, and the rule
     */
    public static AddressBlocks of(Collection<String> entries) {
        return new AddressBlocks(entries.stream().map(AddressBlock::of).toList());
    }

    /** Whether this address literal is one of them. */
    public boolean include(String literal) {
        return !blocks.isEmpty() && include(ClientAddress.parse(ClientAddress.bare(literal)));
    }

    boolean include(@Nullable InetAddress address) {
        return address != null && blocks.stream().anyMatch(block -> block.contains(address));
    }
}
