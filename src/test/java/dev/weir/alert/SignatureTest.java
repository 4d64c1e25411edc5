package dev.weir.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The signature of our own format, as {@code docs/alerts.md} says that it is to be checked. */
class SignatureTest {

    private static Post post() {
        AlertTarget target = Samples.target("https://hooks.example/", AlertFormat.JSON, Samples.SECRET);
        return target.format().writer().write(target, Samples.example(), Samples.TIME);
    }

    @Test
    void theCodeIsThatOfTheStandard() {
        // RFC 4231, test case 2.
        assertThat(HexFormat.of().formatHex(Mac256.of("Jefe", "what do ya want for nothing?")))
                .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    @Test
    void theWorkedExampleOfTheDocumentsIsWhatIsSent() throws Exception {
        String example = Examples.after("### Checking the signature", "text");
        assertThat(example)
                .contains("X-Weir-Signature: " + post().headers().get("X-Weir-Signature") + "\n")
                .contains(
                        "X-Weir-Event: banned\n",
                        "X-Weir-Delivery: " + Samples.example().id() + "\n")
                .contains("\n\n" + post().body() + "\n");
    }

    @Test
    void theFewLinesOfPythonTellGoodFromBad(@TempDir Path directory) throws Exception {
        Path python = Stream.of(System.getenv("PATH").split(":", -1))
                .map(folder -> Path.of(folder, "python3"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(python != null, "there is no python3");
        String signature = Objects.requireNonNull(post().headers().get("X-Weir-Signature"));
        String body = post().body();
        long sent = Samples.TIME.getEpochSecond();
        assertThat(check(directory, signature, body, sent + 299)).isEqualTo("True");
        assertThat(check(directory, signature, body, sent + 301)).isEqualTo("False");
        assertThat(check(directory, signature, body + " ", sent)).isEqualTo("False");
        assertThat(check(directory, signature.replace("t=1", "t=2"), body, sent))
                .isEqualTo("False");
        assertThat(check(directory, "", body, sent)).isEqualTo("False");
    }

    private static String check(Path directory, String signature, String body, long now) throws Exception {
        Path script = directory.resolve("check.py");
        Path content = Files.writeString(directory.resolve("body"), body);
        Files.writeString(
                script,
                Examples.after("### Checking the signature", "python")
                        + "\nimport sys\nprint(is_genuine(sys.argv[1], sys.argv[2], open(sys.argv[3], 'rb').read(), int(sys.argv[4])))\n");
        Process process = new ProcessBuilder(
                        List.of("python3", script.toString(), Samples.SECRET, signature, content.toString(), "" + now))
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
