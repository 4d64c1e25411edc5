package dev.weir.corpus;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A whole request, or more than one, whose ends are in dispute. */
public final class RawRequest {

    private final String name;
    private final byte[] bytes;
    private final List<Integer> statuses;
    private final List<String> up;

    private RawRequest(String name, byte[] bytes, List<Integer> statuses, List<String> up) {
        this.name = name;
        this.bytes = bytes;
        this.statuses = statuses;
        this.up = up;
    }

    /** What is sent. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The statuses of the answers, in order. */
    public List<Integer> statuses() {
        return statuses;
    }

    /** The bodies that go up, in order: what was judged, and nothing else. */
    public List<String> up() {
        return up;
    }

    static RawRequest of(List<Line> lines) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<Integer> statuses = new ArrayList<>();
        List<String> up = new ArrayList<>();
        for (Line line : lines) {
            switch (line.key()) {
                case "line" -> {
                    bytes.writeBytes(line.bytes(StandardCharsets.UTF_8));
                    bytes.writeBytes(new byte[] {'\r', '\n'});
                }
                case "text" -> bytes.writeBytes(line.bytes(StandardCharsets.UTF_8));
                case "answer" -> statuses.add(Integer.parseInt(line.text()));
                case "up" -> up.add(line.text());
                case "==", "case" -> {}
                default -> throw new IllegalArgumentException("smuggling: " + line);
            }
        }
        return new RawRequest(lines.get(0).text(), bytes.toByteArray(), statuses, up);
    }

    @Override
    public String toString() {
        return name;
    }
}
