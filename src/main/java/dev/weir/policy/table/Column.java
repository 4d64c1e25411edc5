package dev.weir.policy.table;

import org.jspecify.annotations.Nullable;

/**
 * A column of a table of the policy. Immutable.
 *
 * @param values   what may stand there
 * @param place    who fills it, and when
 * @param nullable whether nothing may stand there
 * @param standard what stands there if nothing is said; null for nothing
 * @param refersTo the table and column that it repeats, as {@code table.column}; null if none
 * @param unit     what it is counted in; empty if it is no quantity
 * @param secret   whether only admins may see it
 * @param meaning  what it says, for people
 * @param effect   what happens if it is changed, for people
 */
public record Column(
        String name,
        Values values,
        Place place,
        boolean nullable,
        @Nullable Object standard,
        @Nullable String refersTo,
        String unit,
        boolean secret,
        String meaning,
        String effect) {

    /** Who fills a column, and when. */
    public enum Place {
        /** Names the row, and never changes. */
        KEY,
        /** Said when the row is made, and never changed. */
        ONCE,
        /** Said and changed at will. */
        FREE,
        /** Weir's or the database's business. */
        MADE
    }

    /** A part of what names a row. */
    static Column key(String name, Values values, String meaning) {
        return new Column(name, values, Place.KEY, false, null, null, "", false, meaning, "");
    }

    /** One that has to be said. */
    static Column needed(String name, Values values, String meaning, String effect) {
        return new Column(name, values, Place.FREE, false, null, null, "", false, meaning, effect);
    }

    /** One in which nothing may stand. */
    static Column maybe(String name, Values values, String meaning, String effect) {
        return new Column(name, values, Place.FREE, true, null, null, "", false, meaning, effect);
    }

    /** One that has a value if none is said. */
    static Column with(Object standard, String name, Values values, String meaning, String effect) {
        return new Column(name, values, Place.FREE, false, standard, null, "", false, meaning, effect);
    }

    /** One that the database fills. */
    static Column made(String name, Values values, String meaning) {
        return new Column(name, values, Place.MADE, false, null, null, "", false, meaning, "");
    }

    Column in(String itsUnit) {
        return new Column(name, values, place, nullable, standard, refersTo, itsUnit, secret, meaning, effect);
    }

    Column of(String other) {
        return new Column(name, values, place, nullable, standard, other, unit, secret, meaning, effect);
    }

    Column hidden() {
        return new Column(name, values, place, nullable, standard, refersTo, unit, true, meaning, effect);
    }

    Column or(Object itsStandard) {
        return new Column(name, values, place, nullable, itsStandard, refersTo, unit, secret, meaning, effect);
    }

    Column at(Place itsPlace) {
        return new Column(name, values, itsPlace, nullable, standard, refersTo, unit, secret, meaning, effect);
    }

    /** Whether it is part of what names a row. */
    public boolean key() {
        return place == Place.KEY;
    }

    /** Whether a row cannot be made without saying it. */
    public boolean required() {
        return !nullable && standard == null && place != Place.MADE;
    }

    /** Whether it may be said when a row is made. */
    public boolean givenAtFirst() {
        return place != Place.MADE;
    }

    /** Whether it may be changed. */
    public boolean changeable() {
        return place == Place.FREE;
    }

    /** What is wrong with a value, as a sentence that begins after the column's name; null if nothing is. */
    public @Nullable String fault(@Nullable Object value) {
        if (value == null) {
            return nullable ? null : "must not be null";
        }
        return values.fault(value);
    }
}
