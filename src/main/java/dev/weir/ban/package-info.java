/**
 * Who is shut out: strikes, bans, and the rule that turns the one into the other. Core: plain Java.
 */
@NullMarked
package dev.weir.ban;

import org.jspecify.annotations.NullMarked;
