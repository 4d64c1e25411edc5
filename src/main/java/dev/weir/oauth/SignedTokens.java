package dev.weir.oauth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import dev.weir.auth.Token;
import dev.weir.auth.TokenCheck;
import dev.weir.auth.Tokens;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.ParseException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the access tokens of one issuer, which are signed JWTs, with the keys that are in memory. What was found good is
 * remembered by the digest of the token for as long as the token and the keys hold, some minutes at most; what was not is
 * forgotten.
 *
 * <p>Nothing that a token says chooses an address, a key that the issuer does not publish, or an algorithm that its key is not for.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9068#section-4">RFC 9068, 4: validating JWT access tokens</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8725">RFC 8725: JWT best current practices</a>
 */
public final class SignedTokens implements Tokens, AutoCloseable {

    /** How it stands with the issuer. */
    public enum State {
        /** The first fetch of its keys is under way. */
        STARTING,
        /** Its keys are what it has said last. */
        OK,
        /** It does not tell its keys now. The last good ones hold, if there are any. */
        UNREACHABLE
    }

    /** Enough for the agents of a large house, and no more memory than some tens of megabytes. */
    private static final int MOST_REMEMBERED = 50_000;

    private static final Duration LONGEST_REMEMBERED = Duration.ofMinutes(5);
    private static final IssuerClient.Bounds BOUNDS = new IssuerClient.Bounds(Duration.ofSeconds(5), 1 << 20);
    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

    private record Remembered(Token token, KeySet keys, long endsMillis) {}

    private final TokenRules rules;
    private final IssuerClient client;
    private final KeyRing keys;
    private final InstantSource clock;
    private final Cache<ByteBuffer, Remembered> good = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterWrite(LONGEST_REMEMBERED)
            // Its little housekeeping is done by whoever comes.
            .executor(Runnable::run)
            .build();

    private SignedTokens(TokenRules rules, IssuerClient client, KeyRing keys, InstantSource clock) {
        this.rules = rules;
        this.client = client;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Begins to fetch the issuer's keys, without waiting for them.
     *
     * @param jwksUrl   where the keys are; null to ask the issuer, whose name is an address then
     * @param threads   at least four, for as long as this is open
     * @param clock     the wall clock, on which tokens begin and end
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public static SignedTokens start(
            TokenRules rules,
            @Nullable URI jwksUrl,
            ScheduledExecutorService threads,
            InstantSource clock,
            LongSupplier nanoClock) {
        return start(rules, jwksUrl, threads, clock, nanoClock, KeyRing.Pace.USUAL);
    }

    static SignedTokens start(
            TokenRules rules,
            @Nullable URI jwksUrl,
            ScheduledExecutorService threads,
            InstantSource clock,
            LongSupplier nanoClock,
            KeyRing.Pace pace) {
        IssuerClient client = IssuerClient.start(BOUNDS, threads);
        KeyFetch fetch = new KeyFetch(client, URI.create(rules.issuer()), jwksUrl);
        KeyRing ring = new KeyRing(fetch, pace, threads, nanoClock);
        ring.start();
        return new SignedTokens(rules, client, ring, clock);
    }

    @Override
    public @Nullable Token known(String token) {
        Remembered found = good.getIfPresent(digest(token));
        return found != null && found.keys().equals(keys.current()) && clock.millis() < found.endsMillis()
                ? found.token()
                : null;
    }

    @Override
    public TokenCheck check(String token) {
        try {
            JWSObject signed = parse(token);
            Claims claims = Claims.check(said(signed), rules, clock.millis());
            while (true) {
                KeySet with = keys.current();
                KeySet.Answer answer = with == null ? KeySet.Answer.UNKNOWN_KEY : with.verify(signed);
                if (with != null && answer == KeySet.Answer.GOOD) {
                    good.put(digest(token), new Remembered(claims.token(), with, claims.endsMillis()));
                    return new TokenCheck.Good(claims.token());
                }
                TokenCheck other = answer == KeySet.Answer.BAD
                        ? new TokenCheck.Bad("the token's signature is not good")
                        : keys.missing(with);
                if (other != null) {
                    return other;
                }
            }
        } catch (BadTokenException e) {
            return new TokenCheck.Bad(e.why());
        }
    }

    /** How it stands with the issuer. */
    public State state() {
        if (keys.isAway()) {
            return State.UNREACHABLE;
        }
        return keys.current() == null ? State.STARTING : State.OK;
    }

    /** How long ago the issuer has told its keys; null if it never has. */
    public @Nullable Duration keysAge() {
        return keys.age();
    }

    /** Ends the fetches. */
    @Override
    public void close() {
        keys.close();
        client.close();
    }

    private static JWSObject parse(String token) throws BadTokenException {
        JWSObject signed;
        try {
            signed = JWSObject.parse(token);
        } catch (ParseException | RuntimeException e) {
            throw new BadTokenException("the token is no signed JWT");
        }
        JWSHeader header = signed.getHeader();
        JOSEObjectType type = header.getType();
        if (type != null && !TYPES.contains(type.getType().toLowerCase(Locale.ROOT))) {
            throw new BadTokenException("the token is of a type that is no access token's");
        }
        if (header.getCriticalParams() != null || !header.isBase64URLEncodePayload()) {
            throw new BadTokenException("the token asks for extensions that are not known here");
        }
        return signed;
    }

    private static Map<String, Object> said(JWSObject signed) throws BadTokenException {
        Map<String, Object> said = signed.getPayload().toJSONObject();
        if (said == null) {
            throw new BadTokenException("the token's claims cannot be read");
        }
        return said;
    }

    private static ByteBuffer digest(String token) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(sha256.digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
