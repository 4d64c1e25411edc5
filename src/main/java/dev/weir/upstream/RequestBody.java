package dev.weir.upstream;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request body that is sent while it comes in, one piece at a time, so that nobody has to hold it. */
public interface RequestBody {

    /** How many bytes it will have; negative if that is not known. */
    long length();

    /** Where the pieces go. */
    interface Sink {

        /**
         * Takes a piece.
         *
         * @param last  whether it is the last one, which is known early only where the length is
         * @param taken run once, when the piece has been sent and its bytes may be changed, with null; or with the reason why no
         *              more is sent. There must be no other piece before
         */
        void write(ByteBuffer piece, boolean last, Consumer<@Nullable Throwable> taken);

        /** There is no more, and what was written is the whole body. */
        void end();

        /** There will be no more, and the upstream must not take what was written for a whole body. */
        void fail(Throwable cause);
    }

    /** Starts to send it. Called once, by the client that was told to send the request. */
    void sendTo(Sink sink);
}
