/**
 * The decision: the one place where a call is admitted or refused. Core: plain Java.
 */
@NullMarked
package dev.weir.gate;

import org.jspecify.annotations.NullMarked;
