package dev.weir.admin;

import dev.weir.auth.Role;
import dev.weir.rest.Answer;
import dev.weir.rest.OpenApi;
import dev.weir.rest.Operation;
import dev.weir.rest.Operations;
import dev.weir.rest.Problem;
import dev.weir.rest.RestServlet;
import dev.weir.rest.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operators' API, put together. */
public final class Admin {

    private final Operations operations;
    private final Doorkeeper door;

    /**
     * @param tokens   who may use it
     * @param sessions the sessions of the console
     * @param guesses  slows down whoever tries tokens
     * @param work     what can be done, beside logging in and out
     */
    public Admin(Tokens tokens, Sessions sessions, Guesses guesses, Way way, List<Operation> work) {
        door = new Doorkeeper(tokens, sessions, guesses, way);
        List<Operation> all = new ArrayList<>(new SessionOperations(door, sessions).all());
        all.addAll(work);
        all.add(Operation.get(
                "/openapi.json",
                Role.VIEWER,
                "getDescription",
                "Describes this API.",
                Schema.object(),
                ask -> Answer.json(describe())));
        operations = new Operations(all);
    }

    private Map<String, Object> describe() {
        return OpenApi.describe("Weir's admin API", "1", "/admin/api", operations);
    }

    /** All that can be asked. */
    public Operations operations() {
        return operations;
    }

    /**
     * What answers below {@code /admin/api}.
     *
     * @param executor does the work; refuses what is too much
     * @param failures what a failure of an operation is, if it is no fault of ours; null if it is
     */
    public RestServlet servlet(Executor executor, Function<RuntimeException, @Nullable Problem> failures) {
        return new RestServlet(operations, door, executor, failures);
    }
}
