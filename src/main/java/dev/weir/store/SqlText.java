package dev.weir.store;

/** Text from outside, made fit for a column. Agents choose the names of the tools they call, and so what a ban tells of them. */
final class SqlText {

    static final int LONGEST = 512;

    private SqlText() {}

    /** The text, cut to {@link #LONGEST} characters, without what no database stores: NUL and half surrogate pairs. */
    static String storable(String text) {
        StringBuilder fit = new StringBuilder(Math.min(text.length(), LONGEST));
        text.codePoints().limit(LONGEST).forEach(point -> {
            boolean storable = point != 0 && (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE);
            fit.appendCodePoint(storable ? point : 0xFFFD);
        });
        return fit.toString();
    }
}
