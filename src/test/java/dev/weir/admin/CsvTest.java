package dev.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvTest {

    private static String line(@Nullable Object... cells) throws Exception {
        StringWriter out = new StringWriter();
        Csv.line(out, Arrays.asList(cells));
        return out.toString();
    }

    @Test
    void cellsAreQuotedWhereTheyHaveToBe() throws Exception {
        assertThat(line("a", 1L, true, null, "")).isEqualTo("a,1,true,,\r\n");
        assertThat(line("a,b", "say \"x\"", "two\nlines", "b\rc"))
                .isEqualTo("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"b\rc\"\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1"})
    void whatASpreadsheetWouldRunBeginsWithAnApostrophe(String text) throws Exception {
        assertThat(line("x", text).replace("\"", "")).isEqualTo("x,'" + text + "\r\n");
    }

    @Test
    void whatRunsIsQuotedAsWell() throws Exception {
        assertThat(line("=HYPERLINK(\"http://x\",\"y\")")).isEqualTo("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"\r\n");
    }

    @Test
    void numbersStayNumbers() throws Exception {
        assertThat(line(-5, "a=b")).isEqualTo("-5,a=b\r\n");
    }
}
