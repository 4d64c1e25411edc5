package dev.weir.alert;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An incoming webhook of Slack: a text for notifications, and blocks of plain text.
 *
 * @see <a href="https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks">Slack, incoming webhooks</a>
 * @see <a href="https://docs.slack.dev/messaging/formatting-message-text">Slack, escaping</a>
 */
final class SlackFormat implements Format {

    private static final int MOST_TITLE = 150;
    private static final int MOST_TEXT = 3_000;
    private static final int MOST_FIELD = 2_000;
    private static final int MOST_FIELDS = 10;

    /** What Slack answers in words, of which only those that it is known to use are passed on. */
    private static final Set<String> WORDS = Set.of(
            "invalid_payload",
            "invalid_blocks",
            "invalid_token",
            "no_text",
            "no_service",
            "no_active_hooks",
            "no_team",
            "team_disabled",
            "user_not_found",
            "channel_not_found",
            "channel_is_archived",
            "action_prohibited",
            "posting_to_general_channel_denied",
            "rate_limited");

    @Override
    public Post write(AlertTarget target, Alert alert, Instant now) {
        News news = alert.news();
        List<Map<String, Object>> blocks = new ArrayList<>();
        blocks.add(Map.of("type", "header", "text", plain(ChatText.title(alert), MOST_TITLE)));
        blocks.add(Map.of("type", "section", "text", plain(news.text(), MOST_TEXT)));
        List<Map<String, Object>> fields = new ArrayList<>();
        ChatText.details(alert).forEach(line -> fields.add(plain(line, MOST_FIELD)));
        for (int from = 0; from < fields.size(); from += MOST_FIELDS) {
            blocks.add(Map.of(
                    "type", "section", "fields", fields.subList(from, Math.min(from + MOST_FIELDS, fields.size()))));
        }
        String text = escaped(ChatText.title(alert) + " - " + news.text(), MOST_TEXT);
        return new Post(target.url(), Map.of(), Json.text(Map.of("text", text, "blocks", blocks)));
    }

    private static Map<String, Object> plain(String text, int most) {
        return Map.of("type", "plain_text", "emoji", false, "text", escaped(text, most));
    }

    /** A text with Slack's three signs written as it wants them, cut before it is too long. */
    private static String escaped(String text, int most) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            String next = switch (c) {
                case '&' -> "&amp;";
                case '<' -> "&lt;";
                case '>' -> "&gt;";
                default -> Character.toString(c);
            };
            if (escaped.length() + next.length() >= most) {
                return escaped.append('…').toString();
            }
            escaped.append(next);
        }
        return escaped.toString();
    }

    @Override
    public Result read(Answer answer) {
        Result result = Result.ofStatus(answer);
        String word = answer.body().strip();
        return !result.delivered() && WORDS.contains(word)
                ? new Result(result.kind(), result.reason() + ": " + word, result.retryAfter())
                : result;
    }

    @Override
    public boolean needsBody() {
        return false;
    }
}
