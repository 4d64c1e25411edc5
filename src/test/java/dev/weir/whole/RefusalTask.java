package dev.weir.whole;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a client is to do for one cell of the refusal matrix: call {@code tool} until it has been refused {@code refusals}
 * times, list the tools, and, after {@code pauseMs}, call {@code next}. As JSON this is also what the Node.js clients are given.
 */
record RefusalTask(
        String cell, String client, String url, String key, String tool, int refusals, String next, int pauseMs) {

    /** How often a client calls at most before it gives up being refused. */
    static final int MAX_CALLS = 50;

    /** Arguments that all the tools take or ignore. */
    static final Map<String, Object> ARGUMENTS = Map.of("text", "hello", "table", "CUSTOMER");

    /**
     * What the caller of a client got for one call.
     *
     * @param as      {@code result}, or the class of what was thrown
     * @param isError whether a result says that it is an error
     * @param code    the number or name that came with what was thrown; null if none did
     * @param text    the text of the result, or the message of what was thrown
     * @param data    the machine-readable part: the error's {@code data}, the result's {@code _meta}; null if it was lost
     */
    record Outcome(String as, boolean isError, String code, String text, Map<String, Object> data) {

        static Outcome result(boolean isError, String text, Map<String, Object> meta) {
            return new Outcome("result", isError, null, text, meta);
        }

        static Outcome thrown(Throwable thrown, Integer code, Object data) {
            return new Outcome(
                    thrown.getClass().getSimpleName(),
                    true,
                    code == null ? null : code.toString(),
                    thrown.getMessage(),
                    members(data));
        }

        @SuppressWarnings("unchecked")
        private static Map<String, Object> members(Object data) {
            return data instanceof Map ? (Map<String, Object>) data : null;
        }
    }

    /** What came of a task: the last refusal, the tools that were listed right after it, and the call after the pause. */
    record Done(String cell, Outcome refused, List<String> listed, Outcome next, int calls) {}

    /** Writes tasks to a file, for clients in another process. */
    static Path write(Path file, List<RefusalTask> tasks) throws IOException {
        return Files.writeString(file, new JsonMapper().writeValueAsString(tasks));
    }
}
