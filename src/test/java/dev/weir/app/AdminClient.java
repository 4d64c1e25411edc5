package dev.weir.app;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks the admin API of a running Weir, as a program would. */
final class AdminClient {

    /** What one Weir of a test is started with, as {@code mcp.admin.token}. */
    static final String TOKEN = "the-admin-token-of-tests";

    /** An answer. */
    record Reply(HttpResponse<String> answer) {

        int status() {
            return answer.statusCode();
        }

        String body() {
            return answer.body();
        }

        JsonNode json() {
            return JSON.readTree(answer.body());
        }

        /** The status, and the word for programs of a refusal. */
        String code() {
            return status() + " " + json().path("code").asString();
        }

        /** The faults of a refusal, as field, value and rule. */
        List<String> faults() {
            List<String> faults = new ArrayList<>();
            for (JsonNode fault : json().path("errors")) {
                faults.add(fault.path("field").asString() + " | "
                        + fault.path("value").asString("-") + " | "
                        + fault.path("rule").asString());
            }
            return faults;
        }

        String header(String name) {
            return answer.headers().firstValue(name).orElse("");
        }
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String base;
    private final String token;

    AdminClient(RunningWeir weir) {
        this(weir, TOKEN);
    }

    /** One that shows another token; none if it is empty. */
    AdminClient(RunningWeir weir, String token) {
        this.base = "http://localhost:" + weir.port() + "/admin/api";
        this.token = token;
    }

    Reply get(String path) throws IOException, InterruptedException {
        return ask("GET", path, null);
    }

    /** Asks with a body, unless it is null; {@code headers} are names and values. */
    Reply ask(String method, String path, @Nullable String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(30));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        request.method(
                method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        return new Reply(http.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    }
}
