package dev.weir.rest;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Who may ask at all. Must be safe for use by many threads, and waits for nothing. */
public interface Access {

    /**
     * Who has sent a request.
     *
     * @param response where a session that goes on is written to
     * @param changes  whether the operation changes anything, so that no foreign page may have made a browser send it
     * @throws Problem 401 if nobody is known to have sent it, 403 if a page may have sent it that is not ours, 429 after too
     *                 many guesses
     */
    Operator identify(HttpServletRequest request, HttpServletResponse response, boolean changes) throws Problem;
}
