/**
 * Telling people: bans and failures pushed to webhooks, in the formats of several receivers. Nobody who tells of something waits
 * for any of them.
 */
@NullMarked
package dev.weir.alert;

import org.jspecify.annotations.NullMarked;
