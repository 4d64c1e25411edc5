/**
 * How the rows of the policy are read and changed one by one. Core: plain Java; the store does it.
 */
@NullMarked
package dev.weir.policy.edit;

import org.jspecify.annotations.NullMarked;
