package dev.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real nginx in front of Weir, with the lines that docs/deploy.md has for it. Its clients come from different addresses of
 * loopback, and it is trusted at one of them.
 */
@Timeout(120)
class NginxIT {

    private static final String CALL = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
            + "{\"name\":\"inspect_table_schema\",\"arguments\":{\"table\":\"CUSTOMER\"}}}";

    @TempDir
    Path directory;

    private int port;

    /** O47 and O54 through a proxy that somebody else has written. */
    @Test
    void clientsBehindItAreToldApartByTheAddressesThatItSees() throws Exception {
        Path nginx = Programs.find("nginx", "the way through nginx");
        Map<String, String> environment = Map.of(
                "MCP_TRUSTED_PROXIES", "127.0.0.1",
                "MCP_ALLOWED_HOSTS", "gw.example,127.0.0.1");
        try (WeirProcess weir =
                        WeirProcess.start(directory, environment, "--demo").awaitReady();
                ChildProcess proxy = start(nginx, weir.port())) {
            await("nginx listens").until(() -> isListening() || !proxy.isAlive());
            String answer = "";
            for (int i = 0; i < 60 && !answer.contains("-32030"); i++) {
                answer = ask(
                        "127.0.0.2",
                        "X-Forwarded-For: 198.51.100." + i,
                        "Forwarded: for=198.51.100.7",
                        "X-Real-IP: 127.0.0.3");
            }
            assertThat(ask("127.0.0.2", "X-Forwarded-For: 127.0.0.3")).contains("-32030");
            assertThat(ask("127.0.0.3"))
                    .as("a neighbour has a bucket of its own")
                    .contains("X-RateLimit-Remaining: 4")
                    .doesNotContain("-32029", "-32030");
            await("the log names the clients")
                    .untilAsserted(() -> assertThat(weir.stdout())
                            .anyMatch(line ->
                                    line.contains("request_end") && line.contains("\"client_ip\":\"127.0.0.2\""))
                            .anyMatch(line ->
                                    line.contains("request_end") && line.contains("\"client_ip\":\"127.0.0.3\""))
                            .noneMatch(line -> line.contains("198.51.100")));
            assertThat(send("127.0.0.2", "GET /metrics HTTP/1.1"))
                    .as("through a proxy nobody is here")
                    .startsWith("HTTP/1.1 401");
        }
    }

    private ChildProcess start(Path nginx, int weir) throws IOException {
        port = ChildProcess.freePort();
        String documented = Files.readString(Path.of("docs/deploy.md")).split("```nginx\n|```\n", 3)[1];
        Path home = Files.createDirectories(directory.resolve("nginx"));
        String temporary = List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi").stream()
                .map(kind -> kind + "_temp_path " + home.resolve(kind) + ";")
                .reduce("", String::concat);
        Path file = Files.writeString(home.resolve("nginx.conf"), """
                daemon off;
                master_process off;
                pid %s/pid;
                events {}
                http {
                    access_log off;
                    %s
                    server {
                        listen 127.0.0.1:%d;
                        %s
                    }
                }
                """.formatted(
                        home, temporary, port, documented.replace(":8080", ":" + weir)));
        return ChildProcess.start(
                List.of(nginx.toString(), "-e", "stderr", "-p", home.toString(), "-c", file.toString()),
                home,
                Map.of());
    }

    private boolean isListening() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private String ask(String from, String... headers) throws IOException {
        return send(
                from,
                "POST /mcp HTTP/1.1",
                "Content-Type: application/json",
                "Content-Length: " + CALL.length(),
                String.join("\r\n", headers) + (headers.length == 0 ? "X-Nothing: 1" : "") + "\r\n\r\n" + CALL);
    }

    /** Everything that comes back until the connection is closed. */
    private String send(String from, String first, String... more) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(from, 0));
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            String request = first + "\r\nHost: gw.example\r\nConnection: close\r\n"
                    + "Accept: application/json, text/event-stream\r\n" + String.join("\r\n", more) + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
