package dev.weir.web;

import dev.weir.mcp.McpReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Answers one question of an orchestrator or a load balancer. Never limited, never logged, and never waits. */
public final class ProbeServlet extends HttpServlet {

    /**
     * An answer to a probe.
     *
     * @param good    200 if it is, 503 if not
     * @param members what the answer says
     */
    public record Answer(boolean good, Map<String, ?> members) {}

    private final Function<HttpServletRequest, Answer> answer;

    /** @param answer gives the answer from memory */
    public ProbeServlet(Supplier<Answer> answer) {
        this.answer = request -> answer.get();
    }

    /**
     * One that tells some more than others.
     *
     * @param insiders who may see what lies inside
     * @param inside   gives them their answer from memory
     * @param outside  gives all others theirs
     */
    public ProbeServlet(Insiders insiders, Supplier<Answer> inside, Supplier<Answer> outside) {
        this.answer = request -> insiders.include(request) ? inside.get() : outside.get();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answer now = answer.apply(request);
        byte[] body = McpReply.object(now.members());
        response.setStatus(now.good() ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
