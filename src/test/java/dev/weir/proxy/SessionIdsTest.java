package dev.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.upstream.Header;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session is known to whom it was told, by the id that was told, and by no other. */
class SessionIdsTest {

    private static final String ID = "s.1-\"a\"~";

    private final SessionIds ids = new SessionIds(Front.SEALS);
    private final String told = ids.tell("client:c1", "/mcp", ID);

    private SessionIds.Asked asked(String... named) {
        return ids.asked("client:c1", "/mcp", List.of(named));
    }

    @Test
    void theIdThatWasToldLeadsBackToTheUpstreamsOwn() {
        assertThat(told).startsWith(ID + ".").matches("[!-~]+");
        assertThat(asked(told)).isEqualTo(new SessionIds.Asked(true, ID));
        assertThat(asked()).isEqualTo(SessionIds.Asked.NONE);
        String longest = "x".repeat(SessionIds.LONGEST);
        assertThat(asked(ids.tell("client:c1", "/mcp", longest)).id()).isEqualTo(longest);
    }

    @Test
    void itIsNotKnownOfAnotherOwnerNorOnAnotherRoute() {
        assertThat(ids.asked("client:c2", "/mcp", List.of(told))).isEqualTo(SessionIds.Asked.UNKNOWN);
        assertThat(ids.asked("client:c1", "/mcp2", List.of(told))).isEqualTo(SessionIds.Asked.UNKNOWN);
        assertThat(ids.asked("client:c1/mcp", "", List.of(told))).isEqualTo(SessionIds.Asked.UNKNOWN);
    }

    @Test
    void noChangeOfItIsKnown() {
        for (int at = 0; at < told.length(); at++) {
            char other = told.charAt(at) == 'A' ? 'B' : 'A';
            assertThat(asked(told.substring(0, at) + other + told.substring(at + 1)))
                    .isEqualTo(SessionIds.Asked.UNKNOWN);
            assertThat(asked(told.substring(0, at))).isEqualTo(SessionIds.Asked.UNKNOWN);
            assertThat(asked(told.substring(at + 1))).isEqualTo(SessionIds.Asked.UNKNOWN);
        }
        for (String more : List.of("A", ".", " ", "=", "." + told.substring(told.length() - 43))) {
            assertThat(asked(told + more)).isEqualTo(SessionIds.Asked.UNKNOWN);
            assertThat(asked(more + told)).isEqualTo(SessionIds.Asked.UNKNOWN);
        }
        assertThat(asked(ID)).isEqualTo(SessionIds.Asked.UNKNOWN);
        assertThat(asked("")).isEqualTo(SessionIds.Asked.UNKNOWN);
        assertThat(asked("ä".repeat(5_000))).isEqualTo(SessionIds.Asked.UNKNOWN);
    }

    @Test
    void twoAreOneTooManyEvenIfTheyAreTheSame() {
        assertThat(asked(told, told)).isEqualTo(SessionIds.Asked.UNKNOWN);
        assertThat(asked(told + ", " + told)).isEqualTo(SessionIds.Asked.UNKNOWN);
    }

    @Test
    void aSealForAnotherPurposeIsNone() {
        String path = Front.SEALS.of("message-path", "client:c1", "/mcp", ID);
        assertThat(asked(ID + "." + path)).isEqualTo(SessionIds.Asked.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\tb", "\u00e9", "a\u007f", "\u0000"})
    void anIdThatIsNotVisibleAsciiIsNotPassedOn(String id) {
        assertThat(SessionIds.Telling.refusal(List.of(new Header("mcp-session-id", id))))
                .contains("visible");
    }

    @Test
    void neitherIsOneThatIsTooLongNorOneOfTwo() {
        Header longest = new Header("mcp-session-id", "x".repeat(SessionIds.LONGEST));
        assertThat(SessionIds.Telling.refusal(List.of(longest))).isNull();
        assertThat(SessionIds.Telling.refusal(List.of(new Header("Mcp-Session-Id", longest.value() + "x"))))
                .contains("1024");
        assertThat(SessionIds.Telling.refusal(List.of(longest, longest))).contains("2 sessions");
    }
}
