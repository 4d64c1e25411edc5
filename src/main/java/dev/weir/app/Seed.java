package dev.weir.app;

import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Rows that are put into the database once, before its policy is read. Is used by one thread. */
final class Seed {

    private @Nullable Consumer<Jdbi> rows;

    /** @param rows puts them there; null for none */
    Seed(@Nullable Consumer<Jdbi> rows) {
        this.rows = rows;
    }

    /** Puts them there, unless that has been done. */
    void sow(Jdbi database) {
        Consumer<Jdbi> due = rows;
        if (due != null) {
            due.accept(database);
            rows = null;
        }
    }
}
