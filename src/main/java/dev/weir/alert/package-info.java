/**
 * Telling people: bans and failures pushed to webhooks.
 */
@NullMarked
package dev.weir.alert;

import org.jspecify.annotations.NullMarked;
