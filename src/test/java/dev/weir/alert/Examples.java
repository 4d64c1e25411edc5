package dev.weir.alert;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The examples in {@code docs/alerts.md}, each the first block of code after a heading. */
final class Examples {

    private static final Path PAGE = Path.of("docs/alerts.md");

    private Examples() {}

    /** The block of a language that follows a heading. */
    static String after(String heading, String language) throws IOException {
        String page = Files.readString(PAGE);
        int at = page.indexOf("\n" + heading + "\n");
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
        if (at < 0 || !block.find(at)) {
            throw new IllegalStateException(PAGE + " has no " + language + " after " + heading);
        }
        return block.group(1);
    }
}
