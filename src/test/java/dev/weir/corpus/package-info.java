/** Hostile and honest requests with the right answer to each, for the tests that judge them. */
@NullMarked
package dev.weir.corpus;

import org.jspecify.annotations.NullMarked;
