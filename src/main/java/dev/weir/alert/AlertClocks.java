package dev.weir.alert;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clocks of alerts.
 *
 * @param wall  for what is told and signed
 * @param nanos a monotonic clock, in nanoseconds, for pauses
 */
public record AlertClocks(InstantSource wall, LongSupplier nanos) {}
