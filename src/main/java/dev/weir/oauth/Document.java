package dev.weir.oauth;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.text.ParseException;
import java.util.Map;

/** A JSON object that the issuer has sent. */
final class Document {

    private Document() {}

    /**
     * Reads one.
     *
     * @param what it is called where it cannot be read
     * @throws IOException if it is none
     */
    static Map<String, Object> read(String text, String what) throws IOException {
        try {
            Map<String, Object> object = JSONObjectUtils.parse(text);
            if (object != null) {
                return object;
            }
            throw new IOException(what + " is no JSON object");
        } catch (ParseException e) {
            throw new IOException(what + " cannot be read", e);
        }
    }
}
