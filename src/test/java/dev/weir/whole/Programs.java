package dev.weir.whole;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of this machine that a test needs. Where one is missing the test is skipped loudly, but on CI it fails. */
final class Programs {

    private Programs() {}

    /**
     * Where a program is.
     *
     * @param untried what is not tried without it
     */
    static Path find(String program, String untried) {
        Optional<Path> path = Stream.concat(
                        Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
        String missing = "there is no `" + program + "` on the PATH: not tried is " + untried;
        if (path.isEmpty() && System.getenv("CI") != null) {
            throw new AssertionError(missing);
        }
        if (path.isEmpty()) {
            System.err.println(missing);
        }
        assumeTrue(path.isPresent(), missing);
        return path.get();
    }
}
