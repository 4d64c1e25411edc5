package dev.weir.alert;

import dev.weir.ban.Ban;
import dev.weir.ban.BanRule;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** News and targets that several tests use; those of the documents among them. */
final class Samples {

    /** The secret of the examples in {@code docs/alerts.md}. */
    static final String SECRET = "keep-this-one-secret";

    static final Instant TIME = Instant.parse("2026-11-30T12:00:00Z");

    private Samples() {}

    static Ban ban(String principal, @Nullable String tool, String reason) {
        return new Ban(
                "0b2f8c1e-6f5d-4b1c-9a3e-2f6d1c7e8a90",
                principal,
                BanRule.Scope.TOOLS,
                reason,
                "/mcp",
                tool,
                6,
                10,
                List.of(),
                0,
                null,
                TIME,
                TIME.plusSeconds(900));
    }

    static News banned(String principal) {
        return BanNews.banned(ban(principal, "inspect_table_schema", "6 throttles in 10s on [inspect_table_schema]"));
    }

    /** The alert of the examples. */
    static Alert example() {
        return alert(banned("ci-agent"));
    }

    static Alert alert(News news) {
        return new Alert("5d0c6f1a-3a53-4f0e-8d55-7f1b0c1e2d3f", TIME, "gw-1", news, 0);
    }

    static AlertTarget target(String url, AlertFormat format, @Nullable String secret) {
        return new AlertTarget("ops", url, format, secret, AlertTarget.Wishes.USUAL);
    }
}
