package dev.weir.alert;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * JSON of our own, signed over the time of sending and the body, so that a receiver can tell an old alert that somebody sends again.
 * {@code docs/alerts.md} says how to check it.
 */
final class JsonFormat implements Format {

    static final String SIGNATURE = "X-Weir-Signature";
    static final String EVENT = "X-Weir-Event";
    static final String DELIVERY = "X-Weir-Delivery";

    private static final int VERSION = 1;

    @Override
    public Post write(AlertTarget target, Alert alert, Instant now) {
        News news = alert.news();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", VERSION);
        members.put("id", alert.id());
        members.put("event", news.event().word());
        members.put("severity", news.event().severity().word());
        members.put("time", alert.time().truncatedTo(ChronoUnit.MILLIS).toString());
        members.put("node", alert.node());
        members.put("title", news.title());
        members.put("text", news.text());
        members.put("repeated", alert.repeated());
        members.put("fields", news.fields());
        String body = Json.text(members);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(EVENT, news.event().word());
        headers.put(DELIVERY, alert.id());
        String secret = target.secret();
        if (secret != null) {
            headers.put(SIGNATURE, signature(secret, now.getEpochSecond(), body));
        }
        return new Post(target.url(), headers, body);
    }

    private static String signature(String secret, long seconds, String body) {
        return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(Mac256.of(secret, seconds + "." + body));
    }

    @Override
    public Result read(Answer answer) {
        return Result.ofStatus(answer);
    }

    @Override
    public boolean needsBody() {
        return false;
    }
}
