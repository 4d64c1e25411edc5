/** The pages of the operators' console, as files. Edge: sees nothing of ours; the pages use the API like everybody else. */
@NullMarked
package dev.weir.console;

import org.jspecify.annotations.NullMarked;
