package dev.weir.admin;

import dev.weir.auth.ClientAddress;
import dev.weir.limit.BucketName;
import dev.weir.limit.Buckets;
import dev.weir.limit.Charge;
import dev.weir.limit.Level;
import dev.weir.limit.Limit;
import dev.weir.limit.Outcome;
import dev.weir.limit.Reservation;
import dev.weir.limit.Take;
import dev.weir.limit.Tier;
import dev.weir.rest.Problem;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Slows down whoever tries tokens: each address has a bucket of wrong ones, and where that is empty no token is looked at. Safe
 * for use by many threads.
 */
public final class Guesses {

    /** Wrong tokens of one address at once, and the seconds for one more. */
    static final int BURST = 10;

    static final int SECONDS = 5;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Of a level and a tier whose takes can be given back. */
    private static final Charge ONE = new Charge(List.of(new Take(
            new BucketName(Level.METHOD, "", "login"),
            new Tier("login", Limit.of(1.0 / SECONDS, BURST), 0, BURST, 0, Tier.Mode.ENFORCE),
            1)));

    private final Buckets buckets;

    /** @param buckets used for nothing else */
    public Guesses(Buckets buckets) {
        this.buckets = buckets;
    }

    /**
     * What a look-up finds, which costs nothing if it finds something.
     *
     * @return null if it finds nothing
     * @throws Problem 429 if the address has been wrong too often
     */
    public <T> @Nullable T attempt(String address, Supplier<@Nullable T> lookUp) throws Problem {
        Outcome outcome = buckets.take(ClientAddress.block(address), ONE);
        if (outcome instanceof Outcome.Refused refused) {
            long wait = Math.max(1, (refused.waitNanos() + NANOS_PER_SECOND - 1) / NANOS_PER_SECOND);
            throw Problem.of(
                            429,
                            "too_many_attempts",
                            "Too many wrong tokens have come from this address. Try again in " + wait + " s.")
                    .with("Retry-After", String.valueOf(wait));
        }
        T found = lookUp.get();
        Reservation reservation = ((Outcome.Taken) outcome).reservation();
        if (reservation != null) {
            if (found == null) {
                reservation.release();
            } else {
                reservation.cancel();
            }
        }
        return found;
    }
}
