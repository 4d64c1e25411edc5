package dev.weir.alert;

import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** What DingTalk and WeCom have in common: short Markdown, and answers with an {@code errcode}. */
abstract class MarkdownFormat implements Format {

    private final Set<Integer> passing;
    private final Map<Integer, String> known;

    /**
     * @param passing the codes after which another attempt may succeed
     * @param known   what other codes mean
     */
    MarkdownFormat(Set<Integer> passing, Map<Integer, String> known) {
        this.passing = passing;
        this.known = known;
    }

    /**
     * An alert as Markdown: a heading, a sentence, and a quoted line for each detail.
     *
     * @param between what it takes to have two lines that stay two
     */
    static String markdown(Alert alert, String between) {
        StringBuilder text = new StringBuilder("### ")
                .append(ChatText.harmless(ChatText.title(alert)))
                .append("\n\n")
                .append(ChatText.harmless(alert.news().text()))
                .append("\n");
        ChatText.details(alert)
                .forEach(line -> text.append(between).append("> ").append(ChatText.harmless(line)));
        return text.toString();
    }

    @Override
    public final Result read(Answer answer) {
        JsonNode body = Json.object(answer.body());
        OptionalInt code = body == null ? OptionalInt.empty() : Json.number(body, "errcode");
        return code.isPresent() && code.getAsInt() != 0
                ? VendorCode.result(code.getAsInt(), passing.contains(code.getAsInt()), known, answer)
                : VendorCode.orStatus(code, answer);
    }

    @Override
    public final boolean needsBody() {
        return true;
    }
}
