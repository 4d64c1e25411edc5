package dev.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionsTest {

    private static final Duration IDLE = Duration.ofMinutes(30);
    private static final Duration LONGEST = Duration.ofHours(12);

    private Instant now = Instant.parse("2026-12-01T06:30:00Z");
    private final byte[] key = new byte[Sessions.KEY_LENGTH];
    private Sessions sessions = sessions();

    @BeforeEach
    void sharedKey() {
        sessions.use(key);
    }

    @Test
    void whatIsWrittenIsReadAgainAndShowsNothing() {
        Session session = sessions.begin("the-digest");
        String text = sessions.write(session);
        assertThat(sessions.read(text)).isEqualTo(session);
        assertThat(text).doesNotContain("the-digest").doesNotContain(session.id());
    }

    @Test
    void anotherNodeOfTheSameKeyTakesItAndOneOfAnotherKeyDoesNot() {
        String text = sessions.write(sessions.begin("d"));
        Sessions other = sessions();
        assertThat(other.read(text)).isNull();
        other.use(key);
        assertThat(other.read(text)).isNotNull();
    }

    @Test
    void itEndsWhenItIsNotUsed() {
        String text = sessions.write(sessions.begin("d"));
        pass(IDLE.minusSeconds(1));
        assertThat(sessions.read(text)).isNotNull();
        pass(Duration.ofSeconds(1));
        assertThat(sessions.read(text)).isNull();
    }

    @Test
    void usingItPutsTheEndOffButNotForEver() {
        Session session = sessions.begin("d");
        assertThat(sessions.used(session)).as("at once").isNull();
        for (Duration spent = Duration.ZERO; spent.compareTo(LONGEST.minus(IDLE)) < 0; spent = spent.plusMinutes(20)) {
            pass(Duration.ofMinutes(20));
            session = Objects.requireNonNull(sessions.used(session));
            assertThat(sessions.isGoingOn(session)).as("after %s", spent).isTrue();
        }
        assertThat(sessions.idleEnd(session)).isEqualTo(sessions.lastEnd(session));
        pass(IDLE);
        assertThat(sessions.read(sessions.write(session))).isNull();
    }

    @Test
    void whatWasEndedIsOver() {
        Session session = sessions.begin("d");
        Session other = sessions.begin("d");
        sessions.end(session);
        assertThat(sessions.read(sessions.write(session))).isNull();
        assertThat(sessions.read(sessions.write(other))).isNotNull();
    }

    @Test
    void whatNobodyHasWrittenIsNoSession() {
        String text = sessions.write(sessions.begin("d"));
        String changed = text.substring(0, text.length() - 2) + (text.endsWith("AA") ? "BB" : "AA");
        for (String other : new String[] {"", "a.b.c", "....", changed, "eyJhbGciOiJub25lIn0.eyJqdGkiOiJ4In0."}) {
            assertThat(sessions.read(other)).as(other).isNull();
        }
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private Sessions sessions() {
        return new Sessions(IDLE, LONGEST, () -> now, new SecureRandom());
    }
}
