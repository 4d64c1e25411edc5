/**
 * What a request asks for: JSON-RPC messages read from bytes, and Weir's own answers written as bytes. Core: plain
 * Java and a streaming JSON parser.
 */
@NullMarked
package dev.weir.mcp;

import org.jspecify.annotations.NullMarked;
