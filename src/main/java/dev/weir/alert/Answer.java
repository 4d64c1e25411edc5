package dev.weir.alert;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver has answered.
 *
 * @param retryAfter how long it wants to be left alone; null if it does not say
 * @param body       the beginning of its body
 */
record Answer(int status, @Nullable Duration retryAfter, String body) {}
