/** A runaway agent to try a gateway with: it calls one tool at a fixed pace, and reads what it is told only to count it. */
@NullMarked
package dev.weir.run.storm;

import org.jspecify.annotations.NullMarked;
