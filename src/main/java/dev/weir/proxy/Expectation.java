package dev.weir.proxy;

import org.jspecify.annotations.Nullable;

/**
 * What the answer to one request may become beside an answer that is passed on.
 *
 * @param legacy  looks after a stream of HTTP+SSE; null where the answer cannot be one
 * @param promise what the answer is put into if it takes long; null where the client could not make use of it
 */
record Expectation(@Nullable LegacyStream legacy, @Nullable PromisedStream promise) {}
