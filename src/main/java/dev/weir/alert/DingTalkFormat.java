package dev.weir.alert;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A custom robot of DingTalk: Markdown, with the signature in the address, good for an hour.
 *
 * @see <a href="https://open.dingtalk.com/document/orgapp/customize-robot-security-settings">DingTalk, security of custom robots</a>
 */
final class DingTalkFormat extends MarkdownFormat {

    private static final int TOO_OFTEN = 130_101;
    private static final int BUSY = -1;

    DingTalkFormat() {
        super(
                Set.of(TOO_OFTEN, BUSY),
                Map.of(
                        310_000,
                        "the signature is not good, the clock is wrong, a word that the robot wants to see is missing, or the"
                                + " address of this machine is not allowed",
                        300_001,
                        "the address is not good"));
    }

    @Override
    public Post write(AlertTarget target, Alert alert, Instant now) {
        Map<String, Object> markdown = new LinkedHashMap<>();
        markdown.put("title", ChatText.harmless(ChatText.title(alert)));
        markdown.put("text", markdown(alert, "\n\n"));
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("msgtype", "markdown");
        members.put("markdown", markdown);
        members.put("at", Map.of("isAtAll", false));
        return new Post(signed(target.url(), target.secret(), now.toEpochMilli()), Map.of(), Json.text(members));
    }

    private static URI signed(URI url, @Nullable String secret, long millis) {
        if (secret == null) {
            return url;
        }
        byte[] code = Mac256.of(secret, millis + "\n" + secret);
        String sign = URLEncoder.encode(Base64.getEncoder().encodeToString(code), StandardCharsets.UTF_8);
        String separator = url.getRawQuery() == null ? "?" : "&";
        return URI.create(url + separator + "timestamp=" + millis + "&sign=" + sign);
    }
}
