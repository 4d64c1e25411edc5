/**
 * Beside the web application: the command line, the embedded server and what is tried out with them. Packaged under
 * {@code WEB-INF/lib-boot}, so that a container which deploys the WAR never loads it.
 */
@NullMarked
package dev.weir.run;

import org.jspecify.annotations.NullMarked;
