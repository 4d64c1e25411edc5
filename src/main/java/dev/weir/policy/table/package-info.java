/**
 * The tables of the policy, described: what may stand where, what it means, and what a change of it does. Core: plain Java.
 */
@NullMarked
package dev.weir.policy.table;

import org.jspecify.annotations.NullMarked;
