/**
 * Where calls go: the targets of routes, how they are reached, whether they are well, and whether calls may go there now.
 */
@org.jspecify.annotations.NullMarked
package dev.weir.upstream;
