/**
 * SQL: the core's ports on a relational database. The only room but the root that sees JDBC.
 */
@NullMarked
package dev.weir.store;

import org.jspecify.annotations.NullMarked;
