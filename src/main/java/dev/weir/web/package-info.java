/**
 * The filters, in their order, and the only writer of refusals. Edge: sees verdicts, never limits.
 */
@NullMarked
package dev.weir.web;

import org.jspecify.annotations.NullMarked;
