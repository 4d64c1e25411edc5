package dev.weir.app;

import dev.weir.wire.Wire;
import java.io.IOException;

/** The numbers of a running Weir at one moment. */
record Scrape(Wire.Answer answer) {

    /** Asks as somebody on this machine; each header ends with CR LF. */
    static Scrape of(RunningWeir weir, String... headers) throws IOException {
        return as("localhost", weir, headers);
    }

    /** Asks under a name of this host. */
    static Scrape as(String host, RunningWeir weir, String... headers) throws IOException {
        try (Wire wire = weir.wire()) {
            wire.send("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n" + String.join("", headers) + "\r\n");
            return new Scrape(wire.answer());
        }
    }

    /** The value of a series, written as it stands in the text; -1 if there is none. */
    double value(String series) {
        return answer.body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(-1);
    }
}
