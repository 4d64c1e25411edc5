package dev.weir.upstream;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.eclipse.jetty.client.AsyncRequestContent;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** What Jetty's client reads a streamed body from. */
final class StreamedContent extends AsyncRequestContent implements RequestBody.Sink {

    private final long length;
    private volatile boolean sent;

    /** @param length how many bytes there will be; negative if that is not known */
    StreamedContent(long length) {
        this.length = length;
    }

    @Override
    public long getLength() {
        return length;
    }

    @Override
    public @Nullable String getContentType() {
        // It is among the headers.
        return null;
    }

    @Override
    public void write(ByteBuffer piece, boolean last, Consumer<@Nullable Throwable> taken) {
        write(
                last,
                piece,
                Callback.from(
                        () -> {
                            sent |= last;
                            taken.accept(null);
                        },
                        taken));
    }

    /** Whether all of it is on its way. */
    boolean isSent() {
        return sent;
    }

    @Override
    public void end() {
        sent = true;
        close();
    }
}
