package dev.weir.alert;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a receiver of alerts takes. */
public enum AlertFormat {
    /** Signed JSON of our own, for programs. */
    JSON(true),
    /** An incoming webhook of Slack. */
    SLACK(false),
    /** A custom bot of Feishu, or of Lark. */
    FEISHU(true),
    /** A custom robot of DingTalk. */
    DINGTALK(true),
    /** A group robot of WeCom. */
    WECOM(false);

    private final boolean signs;

    AlertFormat(boolean signs) {
        this.signs = signs;
    }

    /** Its name for programs. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it has signatures, and so a use for a secret. */
    boolean signs() {
        return signs;
    }

    /** What writes it and reads the answers. */
    Format writer() {
        return switch (this) {
            case JSON -> new JsonFormat();
            case SLACK -> new SlackFormat();
            case FEISHU -> new FeishuFormat();
            case DINGTALK -> new DingTalkFormat();
            case WECOM -> new WeComFormat();
        };
    }

    /**
     * The format of a word.
     *
     * @throws IllegalArgumentException if there is none, with the words that there are
     */
    public static AlertFormat of(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("must be of "
                        + Arrays.stream(values()).map(AlertFormat::word).collect(Collectors.joining(", ")) + ", not ["
                        + PlainText.of(word, 40) + "]"));
    }
}
