/**
 * What the decision costs: benchmarks of Weir's core beside other rate limiters, in time, allocation and heap.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
