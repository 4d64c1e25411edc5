package dev.weir.admin;

import java.util.List;
import java.util.Map;

/** This Weir, as far as operators want to see it. Must be safe for use by many threads, and waits for nothing. */
public interface Node {

    /** Its name, which is its host's. */
    String name();

    /** What tells it apart from all others, also on the same host. */
    String id();

    /** How it stands with everything, as the answer has it. */
    Map<String, Object> state();

    /** How its breakers stand. */
    List<Sample.Circuit> breakers();

    /** The requests that are on their way to an upstream or back. */
    int exchanges();

    /** The bans that hold. */
    long bansActive();

    /** Whether the policy in force is what the tables say. */
    boolean isPolicyOk();

    /** Whether the database does all that is asked of it. */
    boolean isDatabaseUp();
}
