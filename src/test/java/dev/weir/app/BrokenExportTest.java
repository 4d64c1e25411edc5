package dev.weir.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file that could not be written to its end does not look whole. */
@Timeout(120)
class BrokenExportTest {

    /** What ends an answer that comes in chunks. */
    private static final String END = "\r\n0\r\n\r\n";

    @TempDir
    Path dir;

    @Test
    void anExportWhoseRowsGoAwayOnTheWayBreaksOff() throws Exception {
        try (RunningWeir weir = RunningWeir.start(dir, "http://127.0.0.1:1/", "mcp.admin.token", AdminClient.TOKEN)) {
            weir.sql("INSERT INTO throttle_event (happened_at, principal, tool, level, calls)"
                    + " SELECT CURRENT_TIMESTAMP, 'client:a', REPEAT('x', 400), 'tool', n"
                    + " FROM generate_series(1, 10000) AS numbers (n)");
            assertThat(exported(weir, 1 << 20, () -> {})).endsWith(END);
            assertThat(exported(weir, 8_192, () -> weir.sql("ALTER TABLE throttle_event RENAME TO gone")))
                    .startsWith("HTTP/1.1 200")
                    .doesNotEndWith(END);
        }
    }

    /**
     * All that comes of an export, whose reader does something else after the first bytes.
     *
     * @param buffer small, if little is to be on its way meanwhile
     */
    private static String exported(RunningWeir weir, int buffer, Runnable meanwhile) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(buffer);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), weir.port()));
            socket.getOutputStream()
                    .write(("GET /admin/api/v1/throttles/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                    + AdminClient.TOKEN + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.write(in.readNBytes(1_000));
            meanwhile.run();
            byte[] bytes = new byte[65_536];
            String end = "";
            while (!end.endsWith(END)) {
                int length = in.read(bytes);
                if (length < 0) {
                    break;
                }
                all.write(bytes, 0, length);
                end += new String(bytes, Math.max(0, length - END.length()), Math.min(length, END.length()), UTF_8);
            }
            return all.toString(UTF_8);
        }
    }
}
