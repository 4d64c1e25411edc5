/**
 * The way to the upstream and back. Edge: knows nothing of limits or policy.
 */
@NullMarked
package dev.weir.proxy;

import org.jspecify.annotations.NullMarked;
