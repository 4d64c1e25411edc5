/**
 * How much is left: limits, and the buckets that are counted against them. Core: plain Java.
 */
@NullMarked
package dev.weir.limit;

import org.jspecify.annotations.NullMarked;
