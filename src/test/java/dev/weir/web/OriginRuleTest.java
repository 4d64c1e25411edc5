package dev.weir.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which pages may call, and under which names, rule by rule. */
class OriginRuleTest {

    private static final String FAR = "192.0.2.1";
    private static final String HERE = "127.0.0.1";

    @ParameterizedTest
    @CsvSource({
        // origin, Weir's own, the caller, allowed
        "https://app.test, http://gw.test, " + FAR + ", true",
        "HTTPS://App.Test, http://gw.test, " + FAR + ", true",
        "https://app.test:8443, http://gw.test, " + FAR + ", false",
        "http://gw.test, http://gw.test, " + FAR + ", true",
        "https://gw.test, http://gw.test, " + FAR + ", true",
        "https://gw.test, https://gw.test, " + FAR + ", true",
        "http://gw.test, https://gw.test, " + FAR + ", false",
        "http://gw.test:8080, http://gw.test:8080, " + FAR + ", true",
        "http://gw.test:8080, http://gw.test, " + FAR + ", false",
        "ftp://gw.test, http://gw.test, " + FAR + ", false",
        "http://localhost:3000, http://gw.test, " + HERE + ", true",
        "http://[::1]:3000, http://gw.test, ::1, true",
        "http://app.localhost, http://gw.test, " + HERE + ", true",
        "http://localhost:3000, http://gw.test, " + FAR + ", false",
        "http://localhost.evil.test, http://gw.test, " + HERE + ", false",
        "http://127.0.0.1.evil.test, http://gw.test, " + HERE + ", false",
        "null, http://gw.test, " + HERE + ", false",
        "*, http://gw.test, " + HERE + ", false",
        "http://null, '', " + FAR + ", false",
    })
    void aPageMayCallThatIsListedOrWeirsOwnOrOnThisMachineWithIt(String origin, String own, String peer, boolean may) {
        OriginRule rule = new OriginRule(Set.of(), Set.of("https://app.test"));
        assertThat(rule.allowsOrigin(origin, own, peer)).isEqualTo(may);
    }
}
