/**
 * Buckets that several nodes share, on Redis. Optional.
 */
@NullMarked
package dev.weir.redis;

import org.jspecify.annotations.NullMarked;
