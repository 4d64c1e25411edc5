package dev.weir.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose word is taken for where a request comes from, and what is made of it: case O47, line by line. */
class TrustedProxiesTest {

    private static final String PEER = "10.0.0.1";
    private static final List<String> PROXIES = List.of("10.0.0.0/24", "192.0.2.10", "2001:db8:1::/48");

    private static TrustedProxies reading(ForwardedHeader header) {
        return TrustedProxies.of(PROXIES, header);
    }

    private static Function<String, List<String>> lines(String field, String... lines) {
        return name -> name.equals(field) ? List.of(lines) : List.of();
    }

    private static Sender forwardedFor(String... lines) {
        return reading(ForwardedHeader.X_FORWARDED_FOR).sender(PEER, lines("X-Forwarded-For", lines));
    }

    private static Sender forwarded(String... lines) {
        return reading(ForwardedHeader.FORWARDED).sender(PEER, lines("Forwarded", lines));
    }

    /** Lines are separated by a bar; what comes of them is the sender and then the hops on the way from it. */
    @ParameterizedTest(name = "[{0}]")
    @CsvSource(
            delimiter = ';',
            value = {
                // One hop, however it is written.
                "203.0.113.5; 203.0.113.5 10.0.0.1",
                "203.0.113.5:4711; 203.0.113.5 10.0.0.1",
                "2001:db8::5; 2001:db8:0:0:0:0:0:5 10.0.0.1",
                "[2001:DB8::5]; 2001:db8:0:0:0:0:0:5 10.0.0.1",
                "[2001:db8::5]:4711; 2001:db8:0:0:0:0:0:5 10.0.0.1",
                "::ffff:203.0.113.5; 203.0.113.5 10.0.0.1",
                "[::ffff:cb00:7105]:80; 203.0.113.5 10.0.0.1",
                // From the right, to the first that is not trusted.
                "198.51.100.1, 203.0.113.5; 203.0.113.5 10.0.0.1",
                "198.51.100.1,203.0.113.5,10.0.0.2; 203.0.113.5 10.0.0.2 10.0.0.1",
                "198.51.100.1 , 203.0.113.5 ,192.0.2.10 , 2001:db8:1::7, ::ffff:10.0.0.9;"
                        + "203.0.113.5 192.0.2.10 2001:db8:1:0:0:0:0:7 10.0.0.9 10.0.0.1",
                "192.0.2.11, 10.0.0.2; 192.0.2.11 10.0.0.2 10.0.0.1",
                // Several lines are one list.
                "198.51.100.1 | 203.0.113.5; 203.0.113.5 10.0.0.1",
                "203.0.113.5 | 10.0.0.2; 203.0.113.5 10.0.0.2 10.0.0.1",
                "198.51.100.1, 203.0.113.5 | 10.0.0.2, 10.0.0.3; 203.0.113.5 10.0.0.2 10.0.0.3 10.0.0.1",
                // All of them trusted: the one that is furthest off.
                "10.0.0.7, 10.0.0.2; 10.0.0.7 10.0.0.2 10.0.0.1",
                // Nothing there.
                "''; 10.0.0.1",
                "' , ,'; 10.0.0.1",
                ", 203.0.113.5,; 203.0.113.5 10.0.0.1",
                // What is no address ends it.
                "203.0.113.5, unknown; 10.0.0.1",
                "203.0.113.5, unknown, 10.0.0.2; 10.0.0.2 10.0.0.1",
                "203.0.113.5, _hidden, 10.0.0.2; 10.0.0.2 10.0.0.1",
                "203.0.113.5, localhost; 10.0.0.1",
                "203.0.113.5, 203.0.113.256; 10.0.0.1",
                "203.0.113.5, 010.0.0.2; 10.0.0.1",
                "203.0.113.5, 10.2; 10.0.0.1",
                "203.0.113.5, 167772162; 10.0.0.1",
                "203.0.113.5, 0x0a.0.0.2; 10.0.0.1",
                "203.0.113.5, 2001:db8::5:4711:1:1:1:1:1; 10.0.0.1",
                "203.0.113.5, [10.0.0.2]; 10.0.0.1",
                "203.0.113.5, [2001:db8:1::5; 10.0.0.1",
                "203.0.113.5, 10.0.0.2:port; 10.0.0.1",
                "203.0.113.5, gg:hh; 10.0.0.1",
                "203.0.113.5, \"10.0.0.2\"; 10.0.0.1",
                "203.0.113.5 10.0.0.2; 10.0.0.1",
            })
    void xForwardedForIsReadFromTheRight(String lines, String hops) {
        Sender sender = forwardedFor(lines.split(" \\| "));
        assertThat(sender.hops()).containsExactly(hops.strip().split(" "));
        assertThat(sender.address()).isEqualTo(sender.hops().get(0));
    }

    /** A bar stands for a new line, an acute accent for a quotation mark, and a slash for a backslash. */
    @ParameterizedTest(name = "[{0}]")
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '~',
            value = {
                "for=203.0.113.5 # 203.0.113.5 10.0.0.1",
                "FOR=203.0.113.5;Proto=https;BY=10.0.0.1 # 203.0.113.5 10.0.0.1",
                "proto=https;for=203.0.113.5 # 203.0.113.5 10.0.0.1",
                "proto=https ; for=´203.0.113.5:4711´ ; by=_x # 203.0.113.5 10.0.0.1",
                "for=´203.0.113.5:_port-1´ # 203.0.113.5 10.0.0.1",
                "for=203.0.113.5:4711 # 203.0.113.5 10.0.0.1",
                "for=´[2001:db8::5]´ # 2001:db8:0:0:0:0:0:5 10.0.0.1",
                "for=´[2001:db8::5]:4711´ # 2001:db8:0:0:0:0:0:5 10.0.0.1",
                "for=´203./0.113.5´ # 203.0.113.5 10.0.0.1",
                "for=198.51.100.1, for=203.0.113.5 # 203.0.113.5 10.0.0.1",
                "for=198.51.100.1, for=203.0.113.5;proto=https , for=10.0.0.2 # 203.0.113.5 10.0.0.2 10.0.0.1",
                "for=203.0.113.5 | for=10.0.0.2 # 203.0.113.5 10.0.0.2 10.0.0.1",
                "for=10.0.0.7, for=10.0.0.2 # 10.0.0.7 10.0.0.2 10.0.0.1",
                // Separators that are quoted separate nothing, and neither does what only a sender left open.
                "for=198.51.100.1;host=´a,for=1.2.3.4;b´, for=203.0.113.5;x=´/´,/´´ # 203.0.113.5 10.0.0.1",
                "for=´198.51.100.1, for=203.0.113.5 # 203.0.113.5 10.0.0.1",
                "for=198.51.100.1, a=´x/´, for=´203.0.113.5´ # 203.0.113.5 10.0.0.1",
                // Nothing there, or no address.
                "'' # 10.0.0.1",
                "proto=https # 10.0.0.1",
                "for=198.51.100.1, by=10.0.0.1 # 10.0.0.1",
                "for=203.0.113.5, for=unknown # 10.0.0.1",
                "for=203.0.113.5, for=Unknown, for=10.0.0.2 # 10.0.0.2 10.0.0.1",
                "for=203.0.113.5, for=´_hidden´, for=10.0.0.2 # 10.0.0.2 10.0.0.1",
                "for=203.0.113.5, for=´´ # 10.0.0.1",
                "for=203.0.113.5, for # 10.0.0.1",
                "for=203.0.113.5;for=198.51.100.1 # 10.0.0.1",
                "203.0.113.5 # 10.0.0.1",
                "for =203.0.113.5 # 10.0.0.1",
                "xfor=203.0.113.5 # 10.0.0.1",
            })
    void forwardedIsReadFromTheRight(String lines, String hops) {
        String text = lines.replace('´', '"').replace("/", "\\");
        assertThat(forwarded(text.split(" \\| ")).hops()).containsExactly(hops.split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"203.0.113.5", "10.0.1.0", "9.255.255.255", "192.0.2.9", "192.0.2.11", "2001:db8:2::1", "::1"})
    void nobodyElseIsBelieved(String peer) {
        Sender sender = reading(ForwardedHeader.X_FORWARDED_FOR).sender(peer, name -> List.of("198.51.100.1"));
        assertThat(sender).isEqualTo(new Sender(peer, List.of(peer), null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0",
                "10.0.0.255",
                "192.0.2.10",
                "::ffff:10.0.0.1",
                "[2001:db8:1::1]",
                "2001:db8:1:ffff::%eth0"
            })
    void aProxyIsKnownByItsAddressHoweverItIsWritten(String peer) {
        TrustedProxies proxies = reading(ForwardedHeader.X_FORWARDED_FOR);
        assertThat(proxies.include(peer)).isTrue();
        assertThat(proxies.sender(peer, name -> List.of("198.51.100.1")).address())
                .isEqualTo("198.51.100.1");
    }

    /** Proxies that add to one field pass the other on from anybody. */
    @Test
    void onlyTheOneHeaderIsLookedAt() {
        Map<String, List<String>> both = Map.of(
                "X-Forwarded-For", List.of("198.51.100.1"),
                "Forwarded", List.of("for=198.51.100.2;proto=https;host=evil.example"),
                "X-Real-IP", List.of("198.51.100.3"));
        Function<String, List<String>> fields = name -> both.getOrDefault(name, List.of());
        Sender old = reading(ForwardedHeader.X_FORWARDED_FOR).sender(PEER, fields);
        assertThat(old).isEqualTo(new Sender("198.51.100.1", List.of("198.51.100.1", PEER), null, null));
        Sender standard = reading(ForwardedHeader.FORWARDED).sender(PEER, fields);
        assertThat(standard)
                .isEqualTo(new Sender("198.51.100.2", List.of("198.51.100.2", PEER), "https", "evil.example"));
        assertThat(reading(ForwardedHeader.FORWARDED)
                        .sender(PEER, lines("X-Forwarded-Proto", "https"))
                        .scheme())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "https; gw.example; https; gw.example",
                "HTTPS; gw.example:8443; https; gw.example:8443",
                "http, https; a.example, b.example; https; b.example",
                "http | https; a.example | [2001:db8::1]:443; https; [2001:db8::1]:443",
                "ftp; a.example/path; ;",
                "https, ; a.example, ; ;",
                "javascript; user@a.example; ;",
                "; a b;;",
            })
    void whatWasAskedForIsThePeersOwnWord(String protos, String hosts, String scheme, String host) {
        Map<String, List<String>> fields = Map.of(
                "X-Forwarded-Proto", protos == null ? List.of() : List.of(protos.split(" \\| ")),
                "X-Forwarded-Host", hosts == null ? List.of() : List.of(hosts.split(" \\| ")));
        Sender sender =
                reading(ForwardedHeader.X_FORWARDED_FOR).sender(PEER, name -> fields.getOrDefault(name, List.of()));
        assertThat(sender.scheme()).isEqualTo(scheme);
        assertThat(sender.host()).isEqualTo(host);
    }

    /** A proxy may be reached by a sender that has proxies of its own, and by one that says so only. */
    @Test
    void forwardedSaysWhatWasAskedForWhereItNamesTheSender() {
        Sender sender = forwarded("for=198.51.100.1;proto=ftp;host=evil.example,"
                + " for=203.0.113.5;proto=https;host=\"gw.example:443\", for=10.0.0.2;proto=http;host=inside");
        assertThat(sender.scheme()).isEqualTo("https");
        assertThat(sender.host()).isEqualTo("gw.example:443");
    }

    @Test
    void whoeverIsBehindVeryManyProxiesIsNotLookedFor() {
        List<String> hops = new ArrayList<>(List.of("203.0.113.5"));
        for (int i = 0; i < 10_000; i++) {
            hops.add("10.0.0.2");
        }
        Sender sender = forwardedFor(String.join(",", hops));
        assertThat(sender.address()).isEqualTo("10.0.0.2");
        assertThat(sender.hops()).hasSize(TrustedProxies.MOST_HOPS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "proxy.internal; must be addresses and blocks such as 10.0.0.0/8 or 2001:db8::/32, and [proxy.internal] is neither",
                "10.0.0.0/8/8; prefix",
                "10.0.0; neither",
                "010.0.0.1; neither",
                "10.0.0.0/33; the prefix of [10.0.0.0/33] must be from 0 to 32",
                "10.0.0.0/-1; from 0 to 32",
                "10.0.0.0/; from 0 to 32",
                "10.0.0.0/08; from 0 to 32",
                "10.0.0.0/255.0.0.0; from 0 to 32",
                "2001:db8::/129; from 0 to 128",
                "10.0.0.1/8; [10.0.0.1/8] is no block, because the address has bits behind the first 8",
                "10.128.0.0/8; behind the first 8",
                "0.0.0.1/0; behind the first 0",
                "2001:db8::1/32; behind the first 32",
                "::ffff:10.0.0.0/8; the prefix of [::ffff:10.0.0.0/8] must be from 96 to 128",
                "::ffff:10.0.0.1/104; behind",
                "[2001:db8::]/32; neither",
                "fe80::1%eth0; neither",
                "*; neither",
                "''; neither",
                "10.0.0.1-10.0.0.9; neither",
            })
    void whatIsNoBlockIsRefusedWithTheRule(String entry, String said) {
        assertThatThrownBy(() -> TrustedProxies.of(List.of(entry), ForwardedHeader.FORWARDED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0.0.0.0/0; 0.0.0.0 255.255.255.255 ::ffff:1.2.3.4; ::1 2001:db8::1",
                "::/0; ::1 ffff::; 127.0.0.1 ::ffff:1.2.3.4",
                "10.1.2.128/25; 10.1.2.128 10.1.2.255; 10.1.2.127 10.1.3.128",
                "10.1.2.4/31; 10.1.2.4 10.1.2.5; 10.1.2.3 10.1.2.6",
                "10.1.2.3/32; 10.1.2.3; 10.1.2.2 10.1.2.4",
                "::ffff:10.1.0.0/112; 10.1.0.0 10.1.255.255; 10.2.0.0 ::10.1.0.0",
                "2001:db8::/33; 2001:db8:7fff::; 2001:db8:8000::",
                "2001:db8::5; 2001:db8:0::5; 2001:db8::4 2001:db8::6",
            })
    void aBlockHasItsOwnAddressesAndNoOthers(String block, String in, String out) {
        TrustedProxies proxies = TrustedProxies.of(List.of(block), ForwardedHeader.FORWARDED);
        assertThat(Arrays.asList(in.strip().split(" "))).allMatch(proxies::include);
        assertThat(Arrays.asList(out.strip().split(" "))).noneMatch(proxies::include);
        assertThat(proxies.include("proxy.internal")).isFalse();
    }

    @Test
    void theHeaderIsKnownByItsNameInAnyCase() {
        assertThat(ForwardedHeader.of("x-forwarded-for")).isEqualTo(ForwardedHeader.X_FORWARDED_FOR);
        assertThat(ForwardedHeader.of("Forwarded")).isEqualTo(ForwardedHeader.FORWARDED);
        assertThatThrownBy(() -> ForwardedHeader.of("X-Real-IP"))
                .hasMessage("must be X-Forwarded-For or Forwarded, not [X-Real-IP]");
    }
}
