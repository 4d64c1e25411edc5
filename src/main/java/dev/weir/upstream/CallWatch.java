package dev.weir.upstream;

/**
 * Is told how one call to an upstream goes, as far as it says something of that upstream. The order is: {@link #answering},
 * {@link #streaming}, and then exactly one of {@link #answered}, {@link #failed} and {@link #left}; each of the first two may be
 * left out. One call comes at a time, each before the client can know of it, from any thread; none may wait or throw.
 */
public interface CallWatch {

    /**
     * The head of an answer is here.
     *
     * @param status what the upstream answered, which may be an error
     */
    void answering(int status);

    /** The answer goes on to the client piece by piece, so that its end depends on the client as well. */
    void streaming();

    /** The answer came whole, or as much of it as was wanted. */
    void answered();

    /**
     * The upstream is at fault: it could not be reached, took too long, or gave no whole and usable answer.
     *
     * @param why for an operator
     */
    void failed(String why);

    /** It ended, and that says nothing of the upstream: never sent, given up by the client, or stopped here. */
    void left();
}
