package dev.weir.corpus;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line of an entry: a keyword and what it says. */
record Line(String key, String text) {

    /** Bytes in hexadecimal digits, or a text so many times over. */
    private static final Pattern DIRECTIVE = Pattern.compile("<<(?:(\\d+) x (.*?)|([0-9A-F]{2}(?: [0-9A-F]{2})*))>>");

    static Line of(String line) {
        String[] parts = line.split(" +", 2);
        return new Line(parts[0], parts.length < 2 ? "" : parts[1]);
    }

    /** The text as bytes, with what stands between {@code <<} and {@code >>} put in. */
    byte[] bytes(Charset charset) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Matcher matcher = DIRECTIVE.matcher(text);
        int at = 0;
        while (matcher.find()) {
            bytes.writeBytes(text.substring(at, matcher.start()).getBytes(charset));
            bytes.writeBytes(
                    matcher.group(3) != null
                            ? HexFormat.ofDelimiter(" ").parseHex(matcher.group(3))
                            : matcher.group(2)
                                    .repeat(Integer.parseInt(matcher.group(1)))
                                    .getBytes(charset));
            at = matcher.end();
        }
        bytes.writeBytes(text.substring(at).getBytes(charset));
        return bytes.toByteArray();
    }
}
