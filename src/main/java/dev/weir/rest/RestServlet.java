package dev.weir.rest;

import dev.weir.auth.Role;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers what is asked of an API: finds the operation, sees who asks, checks what was sent, and does the work on threads of its
 * own, because that may wait for the database. Nothing of a body is read before it is known who sends it.
 */
public final class RestServlet extends HttpServlet {

    private static final Logger LOG = LoggerFactory.getLogger(RestServlet.class);
    /** Set on a request whose answer breaks off: it then comes once more, for the container to see an exception. */
    private static final String BROKEN = RestServlet.class.getName() + ".broken";

    private static final int LONGEST_BODY = 256 * 1024;

    private final transient Operations operations;
    private final transient Access access;
    private final transient Executor executor;
    private final transient Function<RuntimeException, @Nullable Problem> failures;
    private final transient Checks checks = new Checks();

    /**
     * @param executor does the work; refuses what is too much
     * @param failures what a failure of an operation is, if it is no fault of ours; null if it is
     */
    public RestServlet(
            Operations operations,
            Access access,
            Executor executor,
            Function<RuntimeException, @Nullable Problem> failures) {
        this.operations = operations;
        this.access = access;
        this.executor = executor;
        this.failures = failures;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getAttribute(BROKEN) != null) {
            throw new IOException("answer broken off");
        }
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        try {
            String path = request.getPathInfo() == null ? "/" : request.getPathInfo();
            // Whoever asks for the head of an answer is told no more than that by the container.
            String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
            Operator operator = access.identify(request, response, !method.equals("GET"));
            Operations.Match match = operations.find(method, path);
            mayAsk(operator, match.operation());
            AsyncContext context = request.startAsync(request, response);
            context.setTimeout(0);
            try {
                executor.execute(() -> run(context, request, response, operator, match));
            } catch (RejectedExecutionException e) {
                write(
                        response,
                        Problem.of(503, "busy", "Too much is asked of this API at once; try again.")
                                .with("Retry-After", "1"));
                context.complete();
            }
        } catch (Problem problem) {
            write(response, problem);
        }
    }

    private static void mayAsk(Operator operator, Operation operation) throws Problem {
        if (!operator.role().includes(operation.role())) {
            throw Problem.of(
                    403,
                    "role_too_small",
                    "This takes the role " + word(operation.role()) + ", and [" + operator.name() + "] has "
                            + word(operator.role()) + ".");
        }
    }

    private void run(
            AsyncContext context,
            HttpServletRequest request,
            HttpServletResponse response,
            Operator operator,
            Operations.Match match) {
        boolean goesOn = false;
        try {
            goesOn = answer(context, request, response, operator, match);
        } catch (IOException e) {
            // The caller has left.
        } finally {
            if (!goesOn) {
                context.complete();
            }
        }
    }

    /** Answers whether the answer goes on beyond this. */
    private boolean answer(
            AsyncContext context,
            HttpServletRequest request,
            HttpServletResponse response,
            Operator operator,
            Operations.Match match)
            throws IOException {
        Operation operation = match.operation();
        try {
            Map<String, JsonNode> query = checks.query(parameters(request), operation.parameters());
            Schema schema = operation.body();
            ObjectNode body = schema == null ? null : checks.body(read(request), schema);
            Answer answer = operation.work().run(new Ask(operator, match.path(), query, body, request));
            if (operation.changes()) {
                tell(operator, operation, match, answer.status());
            }
            return write(context, response, answer);
        } catch (Problem problem) {
            if (operation.changes()) {
                tell(operator, operation, match, problem.status());
            }
            write(response, problem);
        } catch (RuntimeException e) {
            Problem problem = failures.apply(e);
            if (problem == null) {
                LOG.atError()
                        .setCause(e)
                        .addKeyValue("operation", operation.id())
                        .log("admin_failed");
                problem = Problem.of(500, "failed", "Weir has failed at this; its log says why.");
            }
            if (response.isCommitted()) {
                request.setAttribute(BROKEN, true);
                context.dispatch();
                return true;
            }
            response.resetBuffer();
            write(response, problem);
        }
        return false;
    }

    private static void tell(Operator operator, Operation operation, Operations.Match match, int status) {
        LOG.atInfo()
                .addKeyValue("operator", operator.name())
                .addKeyValue("operation", operation.id())
                .addKeyValue(
                        "of",
                        match.path().isEmpty()
                                ? null
                                : String.join(" ", match.path().values()))
                .addKeyValue("status_code", status)
                .log("admin_request");
    }

    private static Map<String, String[]> parameters(HttpServletRequest request) {
        try {
            return request.getParameterMap();
        } catch (RuntimeException e) {
            // Each container has an exception of its own for this.
            throw Problem.of(400, "bad_query", "The query is not written as queries are: look at its percent signs.");
        }
    }

    private static byte[] read(HttpServletRequest request) throws IOException {
        String type = String.valueOf(request.getContentType()).toLowerCase(Locale.ROOT);
        if (!type.startsWith("application/json") && !type.startsWith("application/merge-patch+json")) {
            throw Problem.of(415, "unsupported_media_type", "The body has to be application/json, not [" + type + "].");
        }
        if (request.getContentLengthLong() > LONGEST_BODY) {
            throw tooLong();
        }
        try (InputStream in = request.getInputStream()) {
            byte[] body = in.readNBytes(LONGEST_BODY + 1);
            if (body.length > LONGEST_BODY) {
                throw tooLong();
            }
            return body;
        }
    }

    private static Problem tooLong() {
        return Problem.of(413, "too_large", "The body must not be longer than " + LONGEST_BODY + " bytes.");
    }

    private static boolean write(AsyncContext context, HttpServletResponse response, Answer answer) throws IOException {
        response.setStatus(answer.status());
        answer.headers().forEach(response::addHeader);
        Consumer<EventStream> events = answer.events();
        Answer.Body body = answer.body();
        Object json = answer.json();
        if (events != null) {
            response.setContentType(answer.type());
            response.setHeader("X-Accel-Buffering", "no");
            EventStream.begin(context, events);
            return true;
        }
        if (body != null) {
            response.setContentType(answer.type());
            // Not closed after a failure, because the answer would look whole.
            Writer out = new OutputStreamWriter(response.getOutputStream(), StandardCharsets.UTF_8);
            body.to(out);
            out.close();
        } else if (json != null) {
            write(response, answer.type(), json);
        }
        return false;
    }

    private static void write(HttpServletResponse response, Problem problem) throws IOException {
        response.setStatus(problem.status());
        problem.headers().forEach(response::setHeader);
        write(response, "application/problem+json", problem.members());
    }

    private static void write(HttpServletResponse response, String type, Object json) throws IOException {
        byte[] bytes = Checks.JSON.writeValueAsBytes(json);
        response.setContentType(type);
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private static String word(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }
}
