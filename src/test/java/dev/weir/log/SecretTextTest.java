package dev.weir.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretTextTest {

    /** Put together, because a repository with such shapes in it is taken for one with secrets in it. */
    private static String of(String... parts) {
        return String.join("", parts);
    }

    @Test
    void whatHasTheShapeOfASecretIsMaskedWhereverItStands() {
        assertThat(SecretText.mask("got Authorization: Digest a=\"b\", c=\"d\"\nnext"))
                .isEqualTo("got Authorization: ***\nnext");
        assertThat(SecretText.mask("sent bearer abcd.efgh, twice")).isEqualTo("sent bearer ***, twice");
        assertThat(SecretText.mask("Basic dXNlcjpwYXNz")).isEqualTo("Basic ***");
        assertThat(SecretText.mask("Bearer%20abcdefgh")).isEqualTo("Bearer ***");
        assertThat(SecretText.mask("x " + of("ey", "Jhbxxxxxx.yyyyyyyy.zz") + " x"))
                .isEqualTo("x *** x");
        assertThat(SecretText.mask("/files/" + of("weir_", "0123456789abc") + "/x"))
                .isEqualTo("/files/***/x");
        assertThat(SecretText.mask(of("s", "k-abcdefgh1234"))).isEqualTo("***");
        assertThat(SecretText.mask(of("gh", "p_abcdefghij1234") + ".")).isEqualTo("***.");
        assertThat(SecretText.mask("at " + of("AK", "IAABCDEFGHIJKLMN"))).isEqualTo("at ***");
        assertThat(SecretText.mask("jdbc:postgresql://user:p@ss@db/weir")).isEqualTo("jdbc:postgresql://***@db/weir");
        assertThat(SecretText.mask("jdbc:h2:x;PASSWORD=hunter2;USER=sa")).isEqualTo("jdbc:h2:x;PASSWORD=***;USER=sa");
        assertThat(SecretText.mask("password = \"correct horse\" x")).isEqualTo("password = *** x");
        assertThat(SecretText.mask("{\"token\":\"***\",\"cookie\":\"***\",\"x\":1} password=***hunter2"))
                .as("once is enough")
                .isEqualTo("{\"token\":\"***\",\"cookie\":\"***\",\"x\":1} password=***");
        assertThat(SecretText.mask("--api-key=abc --other=def")).isEqualTo("--api-key=*** --other=def");
        assertThat(SecretText.mask(of("-----BEGIN ", "PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- x")))
                .isEqualTo("*** x");
        assertThat(SecretText.mask(of("-----BEGIN ", "PRIVATE KEY-----\nMIIE and no end")))
                .isEqualTo("***");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client:c1",
                "Tool [inspect_table_schema] rate limit exceeded. Cooling down for 30s.",
                "6 throttles in 10s on [x]",
                "0f8fad5b-d9cb-469f-a165-70867728950e",
                "Mozilla/5.0 (X11; Linux x86_64) node",
                "java.net.ConnectException: Connection refused",
                "task-runner-12345678"
            })
    void whatIsNoSecretStays(String text) {
        assertThat(SecretText.mask(text)).isEqualTo(text);
    }

    @Test
    void inTheWordsOfOthersQueriesAndLongMixedRunsAreMaskedToo() {
        assertThat(SecretText.maskFree("GET /mcp?anything-at-all HTTP/1.1")).isEqualTo("GET /mcp?*** HTTP/1.1");
        assertThat(SecretText.maskFree("said q7Rt0ZpL2mXw9sKd4vBn here")).isEqualTo("said *** here");
        assertThat(SecretText.maskFree("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 12345678901234567890123"))
                .as("one alphabet only")
                .isEqualTo("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 12345678901234567890123");
    }

    @ParameterizedTest
    @CsvSource({
        "password,true",
        "PassWord,true",
        "x-api-key,true",
        "APIKEY,true",
        "access_token,true",
        "client secret,true",
        "Set-Cookie,true",
        "mcp-session-id,true",
        "private_key,true",
        "auth,true",
        "Proxy-Authorization,true",
        "name,false",
        "content-type,false",
        "author,false",
        "path,false",
        "text,false"
    })
    void namesThatGiveASecretAwayAreKnownInEverySpelling(String name, boolean secret) {
        assertThat(SecretText.isSecretName(name)).isEqualTo(secret);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-----BEGIN ",
                "://",
                "://a@",
                "?",
                "bearer ",
                "bearer\t",
                "eyJ",
                "eyJaaaaaa.",
                "password",
                "password=",
                "password=\"",
                "authorization",
                "authorization:\n",
                "weir_",
                "a1",
                "a1+",
                "=",
                "api_key ",
                "\"'",
                "sk-",
                "tokentoken "
            })
    void timeIsInProportionToTheTextWhateverItSays(String piece) {
        String text = piece.repeat(400_000 / piece.length());
        Assertions.assertTimeout(Duration.ofSeconds(5), () -> SecretText.maskFree(text));
    }
}
