/**
 * One exchange: a request on its way up and its answer on the way down. Edge: knows nothing of limits or policy.
 */
@NullMarked
package dev.weir.proxy;

import org.jspecify.annotations.NullMarked;
