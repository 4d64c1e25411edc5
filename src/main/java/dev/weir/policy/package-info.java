/**
 * What the operator decided, compiled into one immutable object. Core: plain Java.
 */
@NullMarked
package dev.weir.policy;

import org.jspecify.annotations.NullMarked;
