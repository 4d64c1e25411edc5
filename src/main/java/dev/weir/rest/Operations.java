package dev.weir.rest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All that can be asked, found by its address. Immutable. */
public final class Operations {

    /**
     * An operation, and what stands in its address.
     *
     * @param path the names that the segments of the path stand for, by the parameters' names
     */
    record Match(Operation operation, Map<String, String> path) {}

    private final List<Operation> all;

    /** @throws IllegalArgumentException if two have the same address and method, or the same id */
    public Operations(List<Operation> all) {
        this.all = List.copyOf(all);
        TreeSet<String> seen = new TreeSet<>();
        for (Operation operation : all) {
            String address = operation.method() + " " + operation.path().replaceAll("\\{[^}]*}", "{}");
            if (!seen.add(address) || !seen.add(operation.id())) {
                throw new IllegalArgumentException("there are two of " + address + " or " + operation.id());
            }
        }
    }

    /** All of them, in the order in which they are to be read. */
    public List<Operation> all() {
        return all;
    }

    /**
     * The operation of an address. A segment that is written in a template is looked for before one that stands for any name.
     *
     * @param path decoded, from the slash after the API's own address on
     * @throws Problem 404, or 405 with the methods that there are
     */
    Match find(String method, String path) throws Problem {
        List<Match> matches = new ArrayList<>();
        for (Operation operation : all) {
            Map<String, String> names = match(operation.path(), path);
            if (names != null) {
                matches.add(new Match(operation, names));
            }
        }
        if (matches.isEmpty()) {
            throw Problem.notFound("address [" + path + "] in this API");
        }
        return matches.stream()
                .filter(match -> match.operation().method().equals(method))
                .min((a, b) -> Integer.compare(a.path().size(), b.path().size()))
                .orElseThrow(() -> notAllowed(method, matches));
    }

    private static Problem notAllowed(String method, List<Match> matches) {
        TreeSet<String> methods = new TreeSet<>();
        matches.forEach(match -> methods.add(match.operation().method()));
        String allowed = String.join(", ", methods);
        return Problem.of(405, "method_not_allowed", "Here one can " + allowed + ", not " + method + ".")
                .with("Allow", allowed);
    }

    private static @Nullable Map<String, String> match(String template, String path) {
        String[] wanted = template.split("/", -1);
        String[] given = path.split("/", -1);
        if (wanted.length != given.length) {
            return null;
        }
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].startsWith("{") && !given[i].isEmpty()) {
                names.put(wanted[i].substring(1, wanted[i].length() - 1), Segment.name(given[i]));
            } else if (!wanted[i].equals(given[i])) {
                return null;
            }
        }
        return names;
    }
}
