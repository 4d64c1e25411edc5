package dev.weir.alert;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A group robot of WeCom: Markdown of a bounded number of bytes, without a signature.
 *
 * @see <a href="https://developer.work.weixin.qq.com/document/path/91770">WeCom, group robots</a>
 */
final class WeComFormat extends MarkdownFormat {

    static final int MOST_BYTES = 4_096;

    private static final int TOO_OFTEN = 45_009;
    private static final int BUSY = -1;

    WeComFormat() {
        super(
                Set.of(TOO_OFTEN, BUSY),
                Map.of(93_000, "the address is not good", 40_058, "the message is not as it should be"));
    }

    @Override
    public Post write(AlertTarget target, Alert alert, Instant now) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("msgtype", "markdown");
        members.put("markdown", Map.of("content", cut(markdown(alert, "\n"))));
        return new Post(target.url(), Map.of(), Json.text(members));
    }

    private static String cut(String text) {
        String cut = text;
        while (cut.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            cut = PlainText.cut(cut, cut.length() - 16);
        }
        return cut;
    }
}
