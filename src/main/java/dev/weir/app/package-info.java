/**
 * The root of the web application: reads the settings, builds every object in order, starts and stops them.
 */
@NullMarked
package dev.weir.app;

import org.jspecify.annotations.NullMarked;
