/**
 * The operator's API. Edge: works through the core's ports, never on the store itself.
 */
@NullMarked
package dev.weir.admin;

import org.jspecify.annotations.NullMarked;
