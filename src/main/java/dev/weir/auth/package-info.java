/**
 * Who is calling, as far as it is proven. Core: plain Java.
 */
@NullMarked
package dev.weir.auth;

import org.jspecify.annotations.NullMarked;
