/** What it costs to be seen: a Weir that logs and traces, beside one that does not. */
@NullMarked
package dev.weir.bench.seeing;

import org.jspecify.annotations.NullMarked;
