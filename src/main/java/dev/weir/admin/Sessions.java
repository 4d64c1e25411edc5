package dev.weir.admin;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.crypto.DirectDecrypter;
import com.nimbusds.jose.crypto.DirectEncrypter;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWTClaimsSet;
import dev.weir.auth.ApiKey;
import java.security.SecureRandom;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of the console. A session is in its cookie, encrypted under a key that all nodes of a database have, so that any node
 * takes it, also after a restart and while the database is away. What this node keeps is which of them were ended before their
 * time. Safe for use by many threads.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7516">RFC 7516: JSON Web Encryption</a>
 */
public final class Sessions {

    /** How many bytes the key has. */
    public static final int KEY_LENGTH = 32;

    /** The most sessions ended here that are remembered. */
    private static final int MOST_ENDED = 100_000;

    private static final String DIGEST = "tok";
    private static final String USED = "used";

    private final Duration idle;
    private final Duration longest;
    private final InstantSource clock;
    private final SecureRandom random;
    private final Cache<String, Boolean> ended;
    private volatile byte[] key;

    /**
     * @param idle    how long a session may go unused
     * @param longest how long it lasts at most
     */
    public Sessions(Duration idle, Duration longest, InstantSource clock, SecureRandom random) {
        this.idle = idle;
        this.longest = longest;
        this.clock = clock;
        this.random = random;
        this.ended = Caffeine.newBuilder()
                .maximumSize(MOST_ENDED)
                .expireAfterWrite(longest)
                .build();
        // Until the one of all nodes is there.
        this.key = new byte[KEY_LENGTH];
        random.nextBytes(key);
    }

    /** Takes the key of all nodes. Sessions that were made before end with that. */
    public void use(byte[] shared) {
        key = shared.clone();
    }

    /** A new session. */
    Session begin(String digest) {
        return new Session(ApiKey.make(random), digest, now(), now());
    }

    /** Says that a session is over. */
    void end(Session session) {
        ended.put(session.id(), true);
    }

    /** The same session, written down as used now; null if that is not worth a new cookie. */
    @Nullable
    Session used(Session session) {
        Duration since = Duration.between(session.used(), now());
        return since.compareTo(idle.dividedBy(10)) < 0
                ? null
                : new Session(session.id(), session.digest(), session.began(), now());
    }

    /** When a session ends if nothing comes. */
    Instant idleEnd(Session session) {
        Instant end = session.used().plus(idle);
        return end.isBefore(end(session.began())) ? end : end(session.began());
    }

    /** When a session ends at the latest. */
    Instant lastEnd(Session session) {
        return end(session.began());
    }

    /** Whether a session goes on. */
    boolean isGoingOn(Session session) {
        return now().isBefore(idleEnd(session)) && ended.getIfPresent(session.id()) == null;
    }

    /** The text of a session, for its cookie. */
    String write(Session session) {
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .jwtID(session.id())
                .claim(DIGEST, session.digest())
                .issueTime(Date.from(session.began()))
                .claim(USED, session.used().getEpochSecond())
                .build();
        EncryptedJWT token = new EncryptedJWT(new JWEHeader(JWEAlgorithm.DIR, EncryptionMethod.A256GCM), claims);
        try {
            token.encrypt(new DirectEncrypter(key));
        } catch (JOSEException e) {
            throw new IllegalStateException("a session cannot be encrypted", e);
        }
        return token.serialize();
    }

    /** The session of a text that goes on; null if there is none. */
    @Nullable
    Session read(String text) {
        try {
            EncryptedJWT token = EncryptedJWT.parse(text);
            if (!JWEAlgorithm.DIR.equals(token.getHeader().getAlgorithm())
                    || !EncryptionMethod.A256GCM.equals(token.getHeader().getEncryptionMethod())) {
                return null;
            }
            token.decrypt(new DirectDecrypter(key));
            JWTClaimsSet claims = token.getJWTClaimsSet();
            Session session = new Session(
                    claims.getJWTID(),
                    claims.getStringClaim(DIGEST),
                    claims.getIssueTime().toInstant(),
                    Instant.ofEpochSecond(claims.getLongClaim(USED)));
            return isGoingOn(session) ? session : null;
        } catch (ParseException | JOSEException e) {
            return null;
        }
    }

    private Instant end(Instant began) {
        return began.plus(longest);
    }

    /** To the second, as it is written. */
    private Instant now() {
        return Instant.ofEpochSecond(Math.floorDiv(clock.millis(), 1_000L));
    }
}
