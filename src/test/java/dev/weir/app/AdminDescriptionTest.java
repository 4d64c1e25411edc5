package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.weir.auth.ApiKey;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The description of the admin API says what the API does: each operation in it is asked on a running Weir. */
class AdminDescriptionTest {

    /** What one operation is, in the description. */
    private record Described(String method, String path, JsonNode node) {

        boolean isForMoreThanViewers() {
            return !node.path("x-role").asString().equals("viewer");
        }

        boolean answersJson() {
            return !node.at("/responses/200/content/application~1json").isMissingNode();
        }

        boolean isAStream() {
            return path.endsWith("/live");
        }

        /** Its address, with names that nothing has. */
        String address() {
            return path.replaceAll("\\{[^}]*}", "nothing-of-this-name");
        }

        @Override
        public String toString() {
            return method + " " + path;
        }
    }

    private static final String VIEWER = "the-viewers-key";

    @TempDir
    static Path dir;

    private static RunningWeir weir;
    private static AdminClient admin;
    private static AdminClient viewer;
    private static JsonNode description;

    @BeforeAll
    static void start() throws Exception {
        weir = RunningWeir.startWith(
                List.of(
                        "INSERT INTO setting (name, content) VALUES ('ban.threshold', '6')",
                        "INSERT INTO client (id, name, role) VALUES ('eve', 'Eve', 'viewer')",
                        "INSERT INTO client_key (client, sha256) VALUES ('eve', '" + ApiKey.digest(VIEWER) + "')"),
                dir,
                "http://127.0.0.1:1/",
                "mcp.admin.token",
                AdminClient.TOKEN);
        admin = new AdminClient(weir);
        viewer = new AdminClient(weir, VIEWER);
        description = admin.get("/openapi.json").json();
    }

    @AfterAll
    static void stop() {
        weir.close();
    }

    @Test
    void othersCanReadIt() {
        SwaggerParseResult read = new OpenAPIV3Parser().readContents(description.toString(), null, null);
        assertThat(read.getMessages()).isEmpty();
        OpenAPI api = read.getOpenAPI();
        assertThat(api.getOpenapi()).isEqualTo("3.1.0");
        assertThat(api.getPaths()).hasSameSizeAs(description.path("paths").propertyNames());
    }

    @Test
    void everyOperationIsThereAndOnlyForThoseWhoAreKnown() throws Exception {
        AdminClient nobody = new AdminClient(weir, "");
        for (Described operation : operations()) {
            AdminClient.Reply reply = nobody.ask(operation.method(), operation.address(), body(operation));
            assertThat(reply.status()).as("%s", operation).isEqualTo(401);
            isAProblem(operation, reply);
        }
    }

    @Test
    void whatIsForMoreThanViewersIsRefusedToThem() throws Exception {
        for (Described operation : operations()) {
            if (operation.isForMoreThanViewers()) {
                AdminClient.Reply reply = viewer.ask(operation.method(), operation.address(), body(operation));
                assertThat(reply.status()).as("%s", operation).isEqualTo(403);
                isAProblem(operation, reply);
            }
        }
    }

    @Test
    void nothingElseIsThere() throws Exception {
        for (String path : description.path("paths").propertyNames()) {
            Set<String> methods = new TreeSet<>();
            operations().stream()
                    .filter(operation -> operation.path().equals(path))
                    .forEach(operation -> methods.add(operation.method()));
            for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
                if (!methods.contains(method)) {
                    String address = path.replaceAll("\\{[^}]*}", "nothing-of-this-name");
                    AdminClient.Reply reply = admin.ask(method, address, null);
                    assertThat(reply.status()).as(method + " " + path).isIn(404, 405);
                }
            }
        }
        assertThat(admin.get("/v1/nothing").status()).isEqualTo(404);
    }

    @Test
    void answersAreAsTheyAreDescribed() throws Exception {
        List<String> looked = new ArrayList<>();
        for (Described operation : operations()) {
            if (operation.method().equals("GET") && operation.answersJson() && !operation.isAStream()) {
                String address = operation.path().contains("{") ? existing(operation.path()) : operation.path();
                if (address != null) {
                    AdminClient.Reply reply = viewer.get(address + needed(operation));
                    assertThat(reply.status())
                            .as("%s: %s", operation, reply.body())
                            .isEqualTo(200);
                    matches(operation, "/responses/200/content/application~1json/schema", reply.json());
                    looked.add(operation.toString());
                }
            }
        }
        assertThat(looked).isNotEmpty();
    }

    @Test
    void whatIsNotDescribedIsRefused() throws Exception {
        for (Described operation : operations()) {
            if (!operation.isAStream() && !operation.path().endsWith("/session")) {
                AdminClient.Reply reply =
                        admin.ask(operation.method(), operation.address() + "?no-such-parameter=1", body(operation));
                assertThat(reply.status()).as("%s", operation).isIn(400, 404);
                isAProblem(operation, reply);
            }
            if (!operation.node().path("requestBody").isMissingNode()) {
                AdminClient.Reply reply = admin.ask(
                        operation.method(), operation.address(), "{\"no_such_member\":1}", "If-Match", "\"x\"");
                assertThat(reply.status()).as("%s", operation).isIn(404, 422);
                isAProblem(operation, reply);
                assertThat(admin.ask(operation.method(), operation.address(), "[]", "If-Match", "\"x\"")
                                .status())
                        .as("%s", operation)
                        .isIn(400, 404);
            }
        }
    }

    /** What a body may be, where one is needed at all. */
    private static @Nullable String body(Described operation) {
        return operation.node().path("requestBody").isMissingNode() ? null : "{}";
    }

    /** The address of something that is there, out of the list that a template belongs to; null if that is empty. */
    private static @Nullable String existing(String template) throws Exception {
        String list = template.substring(0, template.indexOf("/{"));
        for (JsonNode item : viewer.get(list).json().path("items")) {
            String self = item.path("self").asString();
            // A setting without a row is listed, and not there.
            if (!self.isEmpty() && (item.has("etag") || !list.endsWith("/settings"))) {
                return self;
            }
        }
        return null;
    }

    /** Parameters without which an operation cannot do anything. */
    private static String needed(Described operation) {
        return Map.of(
                        "/v1/explain", "?principal=client:c1&route=/mcp&tool=T1",
                        "/v1/throttles/sums", "?by=principal")
                .getOrDefault(operation.path(), "");
    }

    private static void isAProblem(Described operation, AdminClient.Reply reply) {
        assertThat(reply.header("Content-Type")).as("%s", operation).isEqualTo("application/problem+json");
        check(operation, description.at("/components/schemas/Problem"), reply.json());
        assertThat(reply.json().path("status").asInt()).isEqualTo(reply.status());
    }

    private static void matches(Described operation, String pointer, JsonNode value) {
        check(operation, operation.node().at(pointer), value);
    }

    private static void check(Described operation, JsonNode schema, JsonNode value) {
        var errors = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema)
                .validate(value);
        if (!errors.isEmpty()) {
            fail(operation + " is not as described: " + errors + " in " + value);
        }
    }

    private static List<Described> operations() {
        List<Described> all = new ArrayList<>();
        description
                .path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(method -> all.add(new Described(
                                method.getKey().toUpperCase(Locale.ROOT), path.getKey(), method.getValue()))));
        return all;
    }
}
