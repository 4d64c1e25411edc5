package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the console, as a browser gets them. */
class ConsoleFilesTest {

    private static final Path SOURCES = Path.of("src/main/resources/console");
    private static final Pattern IMPORT = Pattern.compile("(?:from|import) '\\./([^']+)'");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    static Path dir;

    private static RunningWeir weir;

    @BeforeAll
    static void start() throws Exception {
        weir = RunningWeir.start(dir, "http://127.0.0.1:1/", "mcp.admin.token", AdminClient.TOKEN);
    }

    @AfterAll
    static void stop() throws Exception {
        weir.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/admin/, text/html;charset=utf-8",
        "/admin/index.html, text/html;charset=utf-8",
        "/admin/main.js, text/javascript;charset=utf-8",
        "/admin/style.css, text/css;charset=utf-8",
        "/admin/icon.svg, image/svg+xml",
        "/admin/lib/lit-html/lit-html.js, text/javascript;charset=utf-8",
        "/admin/lib/lit-html/directives/live.js, text/javascript;charset=utf-8",
        "/admin/lib/uplot/dist/uPlot.esm.js, text/javascript;charset=utf-8",
        "/admin/lib/uplot/dist/uPlot.min.css, text/css;charset=utf-8"
    })
    void eachFileHasItsTypeAndIsLookedAtAgainByItsTag(String path, String type) throws Exception {
        HttpResponse<String> first = get(path);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(header(first, "Content-Type").replace(" ", "")).isEqualToIgnoringCase(type);
        assertThat(header(first, "Cache-Control")).isEqualTo("no-cache");
        assertThat(header(first, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(first, "Content-Security-Policy")).contains("script-src 'self'");
        HttpResponse<String> again = get(path, "If-None-Match", header(first, "ETag"));
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(get(path, "If-None-Match", "\"another\"").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/nothing.js",
                "/admin/index.html/",
                "/admin/index",
                "/admin/.hidden.js",
                "/admin/%2e%2e/logback.xml",
                "/admin/..%2flogback.xml",
                "/admin/%2e%2e%2f%2e%2e%2fdb/migration/V1__policy.sql",
                "/admin/lib/lit-html/../../logback.xml",
                "/admin/lib/lit-html/package.json",
                "/admin/lib/nothing/index.js",
                "/admin/lib/"
            })
    void nothingElseIsServed(String path) throws Exception {
        assertThat(weir.probe(path)).matches("(?s)(400|404).*").doesNotContain("<configuration", "CREATE TABLE");
    }

    @Test
    void pagesCanOnlyBeRead() throws Exception {
        try (Wire wire = weir.wire()) {
            wire.send("POST /admin/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.body()).startsWith("{\"error\":\"method_not_allowed\"");
        }
    }

    @Test
    void theNameWithoutItsSlashLeadsToThePage() throws Exception {
        HttpResponse<String> moved = get("/admin");
        assertThat(moved.statusCode()).isEqualTo(301);
        assertThat(header(moved, "Location")).endsWith("/admin/");
    }

    @Test
    void allThatModulesImportIsThere() throws Exception {
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".js")).toList()) {
                List<String> imported = IMPORT.matcher(Files.readString(file))
                        .results()
                        .map(match -> match.group(1))
                        .toList();
                for (String each : imported) {
                    assertThat(get("/admin/" + each).statusCode())
                            .as("%s, imported by %s", each, file)
                            .isEqualTo(200);
                }
            }
        }
    }

    @Test
    void noFileAsksAnotherHostOrMakesMarkupOfData() throws Exception {
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                assertThat(Files.readString(file).replace("http://www.w3.org/2000/svg", ""))
                        .as(file.toString())
                        .doesNotContain(
                                "http://", "https://", "innerHTML", "unsafeHTML", "eval(", " style=", "onclick=");
            }
        }
    }

    private static HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + weir.port() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String header(HttpResponse<String> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }
}
