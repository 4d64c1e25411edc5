package dev.weir.admin;

import dev.weir.auth.ApiKey;
import dev.weir.auth.Role;
import dev.weir.rest.Answer;
import dev.weir.rest.Ask;
import dev.weir.rest.Operation;
import dev.weir.rest.Operator;
import dev.weir.rest.Problem;
import dev.weir.rest.Schema;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Logging in to the console, out of it, and seeing who one is. */
final class SessionOperations {

    private static final Schema WHO = Schema.of("Session")
            .member("name", Schema.text(255).meaning("what changes are written down under"))
            .member("role", Schema.oneOf("viewer", "operator", "admin"))
            .maybe("csrf", Schema.text(64).meaning("what changes have to carry in X-CSRF-Token"))
            .maybe("idleEnd", Schema.time().meaning("when the session ends if nothing is asked"))
            .maybe("end", Schema.time().meaning("when it ends at the latest"));

    private final Doorkeeper door;
    private final Sessions sessions;

    SessionOperations(Doorkeeper door, Sessions sessions) {
        this.door = door;
        this.sessions = sessions;
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/v1/session", Role.VIEWER, "getSession", "Says who one is.", WHO, this::who),
                Operation.change(
                                "POST",
                                "/v1/session",
                                Role.VIEWER,
                                "logIn",
                                "Makes a session of the bearer token, kept by a cookie.",
                                this::begin)
                        .answering(WHO),
                Operation.change("DELETE", "/v1/session", Role.VIEWER, "logOut", "Ends the session.", this::end));
    }

    private Answer who(Ask ask) {
        Session session = door.session(ask.request());
        return Answer.json(
                session == null || ask.operator().session() == null
                        ? members(ask.operator())
                        : members(ask.operator(), session));
    }

    private Answer begin(Ask ask) {
        String authorization = ask.header("Authorization");
        if (authorization == null) {
            throw Problem.of(400, "token_needed", "A session is made of a bearer token, and none was sent.");
        }
        String token = authorization.substring(authorization.indexOf(' ') + 1).strip();
        Session session = sessions.begin(ApiKey.digest(token));
        return Answer.json(201, members(ask.operator(), session))
                .with("Set-Cookie", door.cookie(ask.request(), sessions.write(session)));
    }

    private Answer end(Ask ask) {
        Session session = door.session(ask.request());
        if (session != null) {
            sessions.end(session);
        }
        return Answer.nothing().with("Set-Cookie", door.cookie(ask.request(), ""));
    }

    private Map<String, Object> members(Operator operator, Session session) {
        Map<String, Object> members = members(operator);
        members.put("csrf", Doorkeeper.csrf(session));
        members.put("idleEnd", time(sessions.idleEnd(session)));
        members.put("end", time(sessions.lastEnd(session)));
        return members;
    }

    private static Map<String, Object> members(Operator operator) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", operator.name());
        members.put("role", operator.role().name().toLowerCase(Locale.ROOT));
        return members;
    }

    private static String time(Instant instant) {
        return instant.toString();
    }
}
