/**
 * The authorization server: its keys, and what its tokens say. Whatever is fetched from it is fetched beside requests.
 */
@NullMarked
package dev.weir.oauth;

import org.jspecify.annotations.NullMarked;
