package dev.weir.limit;

import java.util.List;
import java.util.function.Consumer;

/** Where debts are kept over a restart. Called from one background thread at a time, never on the path of a request. */
public interface BucketSnapshots {

    /** Keeps nothing: for buckets that are full again sooner than a process has started. */
    BucketSnapshots NONE = new BucketSnapshots() {
        @Override
        public void save(List<BucketDebt> debts) {}

        @Override
        public void load(Consumer<BucketDebt> each) {}
    };

    /**
     * Keeps these debts. Where somebody else has kept one of the same bucket that ends later, that end stays: whoever saves may
     * have counted only a part of the calls.
     */
    void save(List<BucketDebt> debts);

    /** Tells of each debt that still stands, in no order; one by one, because there may be millions. */
    void load(Consumer<BucketDebt> each);
}
