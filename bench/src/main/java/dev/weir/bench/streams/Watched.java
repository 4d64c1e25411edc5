package dev.weir.bench.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the system says of one process. */
record Watched(long pid) {

    /** Kibibytes of memory that are its own. */
    long residentKib() throws IOException {
        return number("VmRSS:");
    }

    long threads() throws IOException {
        return number("Threads:");
    }

    /** Milliseconds of processor time so far; the system counts in hundredths of a second. */
    long cpuMillis() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
        return (Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12))) * 10;
    }

    private long number(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("the system does not tell " + name);
    }
}
