package dev.weir.auth;

import org.jspecify.annotations.Nullable;

/**
 * Whose a good token is, as far as the operator has said.
 *
 * @param client  the client's id; null for a token that is no listed client's
 * @param exempt  whether that client is never limited and never banned
 * @param welcome whether its calls are let in at all
 */
public record Bearer(@Nullable String client, boolean exempt, boolean welcome) {}
