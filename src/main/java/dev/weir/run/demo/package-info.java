/** A small MCP server to try Weir with: a few tools over a sample database, one of them slow. It knows nothing of Weir. */
@NullMarked
package dev.weir.run.demo;

import org.jspecify.annotations.NullMarked;
