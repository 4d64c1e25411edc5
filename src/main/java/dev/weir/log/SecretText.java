package dev.weir.log;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Takes out of texts what looks like a secret. It knows shapes and names; a secret that looks like a word, and stands where no
 * name gives it away, it cannot know. Every method takes time in proportion to the text. Safe for use by many threads.
 */
public final class SecretText {

    /** What stands in the place of a secret. */
    public static final String MASK = "***";

    /** Shorter ones have no shape. */
    private static final int SHORTEST = 8;

    private static final int SHORTEST_RUN = 20;

    /** Keys that are written out, to their end or the text's. */
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN [^-]{0,40}+-----[^-]*+(?:-----END [^-]{0,40}+-----)?");

    /** What follows the name of a scheme of HTTP authentication. */
    private static final Pattern SCHEME =
            Pattern.compile("(?i)\\b(bearer|basic|digest|negotiate|dpop)(?:\\s|%20|\\+)++[^\\s\"',;<>&]{4,}+");

    /** Tokens that show by their beginning what they are. */
    private static final Pattern TOKEN = Pattern.compile("eyJ[A-Za-z0-9_-]{5,}+(?:\\.[A-Za-z0-9_-]*+){0,4}+"
            + "|weir_[A-Za-z0-9_-]{6,}+"
            + "|\\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}+"
            + "|\\bgh[pousr]_[A-Za-z0-9]{10,}+|\\bgithub_pat_[A-Za-z0-9_]{10,}+|\\bglpat-[A-Za-z0-9_-]{10,}+"
            + "|\\b(?:AKIA|ASIA)[A-Z0-9]{12,}+|\\bxox[a-z]-[A-Za-z0-9-]{8,}+|\\bAIza[A-Za-z0-9_-]{20,}+");

    private static final Pattern USER_INFO = Pattern.compile("://[^/\\s\"'?#<>]*@");

    private static final Pattern QUERY = Pattern.compile("\\?[^\\s\"'<>?]++");

    /** What has been masked already stays as it is, quotation marks and all. */
    private static final String UNMASKED = "(?![\"']?\\*\\*\\*(?:[\"'\\s,;&}\\]]|$))";

    /** A name that gives a secret away, and the rest of its line, because some schemes have several parts. */
    private static final Pattern HEADER = Pattern.compile(
            "(?i)\\b(authorization|cookie|set-cookie)(\"?\\s{0,3}+[:=]\\s{0,3}+)" + UNMASKED + "[^\\r\\n]++");

    private static final Pattern NAMED = Pattern.compile(
            "(?i)(password|passwd|passphrase|pwd|secret|token|api[_-]?key|credentials?|private[_-]?key|session[_-]?id)"
                    + "([A-Za-z0-9_-]{0,20}+[\"']?\\s{0,3}+[=:]\\s{0,3}+)" + UNMASKED
                    + "(?:\"[^\"\\r\\n]*+\"?+|'[^'\\r\\n]*+'?+|[^\\s\"',;&]++)");

    private SecretText() {}

    /** The text without what has the shape of a secret. */
    public static String mask(String text) {
        if (text.length() < SHORTEST) {
            return text;
        }
        String masked = text;
        if (text.contains("-----BEGIN")) {
            masked = PEM.matcher(masked).replaceAll(MASK);
        }
        if (masked.contains("://")) {
            masked = USER_INFO.matcher(masked).replaceAll("://" + MASK + "@");
        }
        masked = HEADER.matcher(masked).replaceAll("$1$2" + MASK);
        masked = SCHEME.matcher(masked).replaceAll("$1 " + MASK);
        masked = TOKEN.matcher(masked).replaceAll(MASK);
        masked = NAMED.matcher(masked).replaceAll("$1$2" + MASK);
        return masked;
    }

    /**
     * The same for words that somebody else has written: also without queries, and without long runs of letters and digits, such
     * as random values have.
     */
    public static String maskFree(String text) {
        return maskRuns(QUERY.matcher(mask(text)).replaceAll("?" + MASK));
    }

    /** The text without the runs that look random: long, of the alphabet of base64, with letters and digits in them. */
    static String maskRuns(String text) {
        StringBuilder masked = null;
        int kept = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i < text.length() && isOfRun(text.charAt(i))) {
                continue;
            }
            if (i - start >= SHORTEST_RUN && isMixed(text, start, i)) {
                masked = masked == null ? new StringBuilder() : masked;
                masked.append(text, kept, start).append(MASK);
                kept = i;
            }
            start = i + 1;
        }
        return masked == null ? text : masked.append(text, kept, text.length()).toString();
    }

    private static boolean isOfRun(char c) {
        return isLetter(c) || isDigit(c) || "+/_-=".indexOf(c) >= 0;
    }

    private static boolean isMixed(String text, int from, int to) {
        boolean letters = false;
        boolean digits = false;
        for (int i = from; i < to; i++) {
            letters |= isLetter(text.charAt(i));
            digits |= isDigit(text.charAt(i));
        }
        return letters && digits;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** Whether what bears a name, of a member of JSON or a header field, is taken for a secret. */
    public static boolean isSecretName(String name) {
        StringBuilder letters = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isLetterOrDigit(c)) {
                letters.append(c);
            }
        }
        String same = letters.toString().toLowerCase(Locale.ROOT);
        return Names.INSIDE.matcher(same).find() || Names.WHOLE.matcher(same).matches();
    }

    /** Names by their letters and digits. */
    private static final class Names {

        static final Pattern INSIDE =
                Pattern.compile("password|passwd|passphrase|passcode|pwd|secret|token|key|authoriz|authent"
                        + "|cookie|credential|session|bearer|signature|otp");

        static final Pattern WHOLE = Pattern.compile("auth|.*auth|oauth.*|pass|pin|jwt|dsn|mac|sig");

        private Names() {}
    }

    /** The text without a secret that is known. */
    public static String maskKnown(String text, Iterable<String> secrets) {
        String masked = text;
        for (String secret : secrets) {
            masked = masked.replace(secret, MASK);
        }
        return masked;
    }
}
