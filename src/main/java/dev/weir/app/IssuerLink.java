package dev.weir.app;

import dev.weir.auth.Tokens;
import dev.weir.oauth.SignedTokens;
import dev.weir.oauth.TokenRules;
import dev.weir.settings.Settings;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** The link to the authorization server that the settings name, if they name one. Safe for use by many threads. */
final class IssuerLink implements AutoCloseable {

    /** As many as the client of the issuer needs: fetches are rare and small. */
    private static final int THREADS = 4;

    private final @Nullable String name;
    private final @Nullable SignedTokens tokens;
    private final @Nullable ScheduledExecutorService threads;

    private IssuerLink(
            @Nullable String name, @Nullable SignedTokens tokens, @Nullable ScheduledExecutorService threads) {
        this.name = name;
        this.tokens = tokens;
        this.threads = threads;
    }

    /**
     * Begins to fetch the issuer's keys, without waiting for them.
     *
     * @param clock the wall clock, on which tokens begin and end
     */
    static IssuerLink start(Settings.Auth settings, InstantSource clock) {
        Settings.Jwt jwt = settings.jwt();
        URI issuer = jwt.issuer().orElse(null);
        if (issuer == null) {
            return new IssuerLink(null, null, null);
        }
        TokenRules rules = new TokenRules(
                issuer.toString(), jwt.audience().orElse(Set.of()), Duration.ofSeconds(jwt.clockSkewSeconds()));
        ScheduledExecutorService threads = Background.threads("weir-issuer", THREADS);
        SignedTokens tokens =
                SignedTokens.start(rules, settings.jwksUrl().orElse(null), threads, clock, System::nanoTime);
        return new IssuerLink(issuer.toString(), tokens, threads);
    }

    /** Checks tokens; where there is no issuer, none is good. */
    Tokens tokens() {
        return tokens == null ? Tokens.NONE : tokens;
    }

    /** The issuer, as its tokens name it; null if there is none. */
    @Nullable
    String name() {
        return name;
    }

    /** How it stands with the issuer, in one word; null if there is none. */
    @Nullable
    String state() {
        return tokens == null ? null : tokens.state().name().toLowerCase(Locale.ROOT);
    }

    /** Whether the issuer does not tell its keys now. */
    boolean isAway() {
        return tokens != null && tokens.state() == SignedTokens.State.UNREACHABLE;
    }

    /** How long ago the issuer has told its keys, in seconds; not a number if it never has. */
    double keysAgeSeconds() {
        Duration age = tokens == null ? null : tokens.keysAge();
        return age == null ? Double.NaN : age.toSeconds();
    }

    @Override
    public void close() {
        if (tokens != null && threads != null) {
            tokens.close();
            threads.shutdown();
        }
    }
}
