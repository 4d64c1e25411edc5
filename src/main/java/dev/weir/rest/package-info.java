/**
 * A small frame for HTTP APIs that answer in JSON: operations that describe themselves, and what checks, answers and documents
 * them. Edge: sees who may do what, and nothing else of ours.
 */
@NullMarked
package dev.weir.rest;

import org.jspecify.annotations.NullMarked;
