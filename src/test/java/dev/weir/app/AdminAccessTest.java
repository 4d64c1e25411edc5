package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.wire.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets at the operators' API and console, on real sockets. */
class AdminAccessTest {

    private static final String TOKEN = "an-admin-token-of-tests";

    @TempDir
    Path dir;

    @Test
    void theTokenOfTheSettingsOpensTheApi() throws Exception {
        try (RunningWeir weir = RunningWeir.start(dir, "http://127.0.0.1:1/", "mcp.admin.token", TOKEN);
                Wire wire = weir.wire()) {
            wire.send("GET /admin/api/v1/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN
                    + "\r\n\r\n");
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("{\"name\":\"admin\",\"role\":\"admin\"}");
            wire.send("GET /admin/api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(wire.answer().status()).isEqualTo(401);
            wire.send("GET /admin/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(wire.answer().body()).contains("Weir");
        }
    }
}
