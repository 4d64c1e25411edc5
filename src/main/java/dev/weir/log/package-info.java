/** How what happened is written down: lines on standard output, in one of two forms, that nobody who serves waits for. */
@NullMarked
package dev.weir.log;

import org.jspecify.annotations.NullMarked;
