package dev.weir.whole;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/** One cell of the refusal matrix: who is refused, in what form, and why. */
record RefusalCell(Client client, Form form, Refusal refusal) {

    /** The official clients, by language and generation; a modern one speaks revision 2026-07-28, the others an older one. */
    enum Client {
        JAVA_2,
        JAVA_2_MODERN,
        JAVA_1,
        TS_1,
        TS_2,
        TS_2_MODERN;

        boolean modern() {
            return name().endsWith("_MODERN");
        }

        boolean needsNode() {
            return name().startsWith("TS_");
        }
    }

    /** The forms that a refusal can be set to; each has a route of its own for each era. */
    enum Form {
        AUTO,
        JSONRPC_ERROR,
        TOOL_RESULT,
        HTTP_429;

        String setting() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why a call is refused, and how that is told. */
    enum Refusal {
        COOLING_DOWN(
                "inspect_table_schema",
                -29,
                429,
                "throttled",
                "Tool \\[inspect_table_schema] rate limit exceeded\\. Cooling down for [\\d.]+s\\. Please review .*"),
        THROTTLED(
                "get_time",
                -29,
                429,
                "throttled",
                "Tool \\[get_time] rate limit exceeded\\. Retry in [\\d.]+s\\. Please review .*"),
        BANNED(
                "get_time",
                -30,
                403,
                "banned",
                "Client is banned from tool calls for another \\d+s after 2 throttles in 10s on \\[get_time]\\. Stop .*"),
        FORBIDDEN("export_report", -31, 403, "forbidden", "Tool \\[export_report] is .*");

        final String tool;
        final int offset;
        final int status;
        final String reason;
        final String words;

        Refusal(String tool, int offset, int status, String reason, String words) {
            this.tool = tool;
            this.offset = offset;
            this.status = status;
            this.reason = reason;
            this.words = words;
        }

        /** At which refusal in a row it is this one: the second throttle is a ban here. */
        int refusals() {
            return this == BANNED ? 2 : 1;
        }

        /** A tool that can be called again after a while, and is the refused one where that makes sense. */
        String next() {
            return this == BANNED || this == FORBIDDEN ? "echo" : tool;
        }
    }

    static Stream<RefusalCell> all() {
        return Arrays.stream(Client.values())
                .flatMap(client -> Arrays.stream(Form.values())
                        .flatMap(form -> Arrays.stream(Refusal.values())
                                .map(refusal -> new RefusalCell(client, form, refusal))));
    }

    /** The id of the cell and of its row in the table of clients, so that no two cells share strikes or buckets. */
    String id() {
        return client + "/" + form + "/" + refusal;
    }

    /** The prefix of the route. */
    String route() {
        return (client.modern() ? "/modern/" : "/legacy/") + form.setting();
    }

    /** The JSON-RPC error code, in the range of the client's era. */
    int code() {
        return (client.modern() ? -31_000 : -32_000) + refusal.offset;
    }
}
