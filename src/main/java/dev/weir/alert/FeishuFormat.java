package dev.weir.alert;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A custom bot of Feishu or Lark: a card of plain text, because its texts know tags by which everybody is called. The signature is the
 * code of nothing under a key of time and secret, and good for an hour.
 *
 * @see <a href="https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot">Feishu, custom bots</a>
 */
final class FeishuFormat implements Format {

    private static final Map<Integer, String> KNOWN = Map.of(
            19001, "the address is not good",
            19021, "the signature is not good, or the clock is wrong by more than an hour",
            19022, "the address of this machine is not allowed",
            19024, "a word that the bot wants to see is missing");

    private static final int TOO_OFTEN = 11_232;

    /** For what is asked too often, and for what is asked in a wrong way; its message tells which. */
    private static final int BAD_OR_TOO_OFTEN = 9_499;

    @Override
    public Post write(AlertTarget target, Alert alert, Instant now) {
        Map<String, Object> members = new LinkedHashMap<>();
        String secret = target.secret();
        if (secret != null) {
            long seconds = now.getEpochSecond();
            byte[] code = Mac256.of(seconds + "\n" + secret, "");
            members.put("timestamp", String.valueOf(seconds));
            members.put("sign", Base64.getEncoder().encodeToString(code));
        }
        members.put("msg_type", "interactive");
        members.put("card", card(alert));
        return new Post(target.url(), Map.of(), Json.text(members));
    }

    private static Map<String, Object> card(Alert alert) {
        Map<String, Object> header = new LinkedHashMap<>();
        header.put("title", plain(ChatText.title(alert)));
        header.put(
                "template",
                switch (alert.news().event().severity()) {
                    case CRITICAL -> "red";
                    case WARNING -> "orange";
                    case INFO -> "blue";
                });
        List<Map<String, Object>> elements = new ArrayList<>();
        elements.add(div(alert.news().text()));
        elements.add(div(String.join("\n", ChatText.details(alert))));
        Map<String, Object> card = new LinkedHashMap<>();
        card.put("header", header);
        card.put("elements", elements);
        return card;
    }

    private static Map<String, Object> div(String text) {
        Map<String, Object> div = new LinkedHashMap<>();
        div.put("tag", "div");
        div.put("text", plain(text));
        return div;
    }

    private static Map<String, Object> plain(String text) {
        Map<String, Object> plain = new LinkedHashMap<>();
        plain.put("tag", "plain_text");
        plain.put("content", ChatText.harmless(text));
        return plain;
    }

    /** Looks at the code first: what is asked too often is answered 200 or 400. */
    @Override
    public Result read(Answer answer) {
        JsonNode body = Json.object(answer.body());
        OptionalInt code = body == null ? OptionalInt.empty() : Json.number(body, "code", "StatusCode");
        if (code.isPresent() && code.getAsInt() != 0) {
            return VendorCode.result(code.getAsInt(), isTooOften(code.getAsInt(), body), KNOWN, answer);
        }
        return VendorCode.orStatus(code, answer);
    }

    private static boolean isTooOften(int code, @Nullable JsonNode body) {
        return code == TOO_OFTEN
                || (code == BAD_OR_TOO_OFTEN
                        && body != null
                        && body.path("msg").asString("").contains("too many"));
    }

    @Override
    public boolean needsBody() {
        return true;
    }
}
