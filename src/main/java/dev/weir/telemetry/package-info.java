/**
 * What is seen of each request: how long its parts take, as numbers and as spans of a trace. Edge: sees what a request asks for, and knows nothing of limits, policy
 * or servlets.
 */
@NullMarked
package dev.weir.telemetry;

import org.jspecify.annotations.NullMarked;
