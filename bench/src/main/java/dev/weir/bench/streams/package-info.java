/** What many open streams, and clients that read slowly, cost a running Weir. */
@org.jspecify.annotations.NullMarked
package dev.weir.bench.streams;
