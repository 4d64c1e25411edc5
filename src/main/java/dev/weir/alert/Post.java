package dev.weir.alert;

import java.net.URI;
import java.util.Map;

/**
 * An HTTP request that is to be made: a POST of JSON. Nothing that this says shows the address, the headers or the body.
 *
 * @param headers beside those of every post
 */
record Post(URI url, Map<String, String> headers, String body) {

    @Override
    public String toString() {
        return "Post of " + body.length() + " characters";
    }
}
