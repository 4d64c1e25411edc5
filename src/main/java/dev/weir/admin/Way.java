package dev.weir.admin;

import jakarta.servlet.http.HttpServletRequest;

/** On which way requests come in. Must be safe for use by many threads. */
public interface Way {

    /** The address that a request comes from, as far as it can be known. */
    String address(HttpServletRequest request);

    /** Whether the sender's own connection is encrypted. */
    boolean isEncrypted(HttpServletRequest request);

    /** Whether a request calls Weir by a name that it may be called by. */
    boolean usesOurName(HttpServletRequest request);

    /** Whether no page of another origin has made a browser send a request. */
    boolean isFromOwnPage(HttpServletRequest request);
}
