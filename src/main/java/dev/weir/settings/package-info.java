/**
 * What is decided before the start: read from the command line, the environment and a file, checked, and made into what the rooms
 * are built of. Seen by the roots only.
 */
@NullMarked
package dev.weir.settings;

import org.jspecify.annotations.NullMarked;
