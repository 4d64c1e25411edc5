package dev.weir.rest;

import dev.weir.auth.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be asked of the API, with everything that a caller has to know of it. Immutable.
 *
 * @param method     the HTTP method
 * @param path       its address below the API's, with names of parameters in braces: {@code /bans/{id}/lift}
 * @param role       the least that may ask it; {@link Role#AGENT} for whoever is known at all
 * @param id         its name in the description
 * @param summary    what it does, as one sentence
 * @param parameters what stands in the address
 * @param body       what the body has to be; null if there is none
 * @param answers    what is answered on success; null for an answer without a body, or one that is not JSON
 * @param work       does it
 */
public record Operation(
        String method,
        String path,
        Role role,
        String id,
        String summary,
        List<Parameter> parameters,
        @Nullable Schema body,
        @Nullable Schema answers,
        Work work) {

    /** Does what is asked, on a thread that may wait for the database. Must be safe for use by many threads. */
    public interface Work {

        /**
         * Does it.
         *
         * @throws Problem if it is refused
         */
        Answer run(Ask ask) throws Problem;
    }

    /** Keeps the parameters as they are now. */
    public Operation {
        parameters = List.copyOf(parameters);
    }

    /** One that only looks. */
    public static Operation get(String path, Role role, String id, String summary, Schema answers, Work work) {
        return new Operation("GET", path, role, id, summary, List.of(), null, answers, work);
    }

    /** One that changes something. */
    public static Operation change(String method, String path, Role role, String id, String summary, Work work) {
        return new Operation(method, path, role, id, summary, List.of(), null, null, work);
    }

    /** The same with parameters. */
    public Operation taking(Parameter... more) {
        return new Operation(method, path, role, id, summary, List.of(more), body, answers, work);
    }

    /** The same with a body. */
    public Operation sending(Schema schema) {
        return new Operation(method, path, role, id, summary, parameters, schema, answers, work);
    }

    /** The same with an answer. */
    public Operation answering(Schema schema) {
        return new Operation(method, path, role, id, summary, parameters, body, schema, work);
    }

    /** Whether it changes anything. */
    boolean changes() {
        return !method.equals("GET");
    }
}
