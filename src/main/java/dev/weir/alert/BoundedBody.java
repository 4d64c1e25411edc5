package dev.weir.alert;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The beginning of the body of an answer; what is beyond is not waited for. */
final class BoundedBody implements BodySubscriber<String> {

    private final int most;
    private final CompletableFuture<String> body = new CompletableFuture<>();
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription source;

    /** @param most bytes that are read */
    BoundedBody(int most) {
        this.most = most;
    }

    @Override
    public CompletionStage<String> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        source = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            byte[] bytes = new byte[Math.min(part.remaining(), most - read.size())];
            part.get(bytes);
            read.writeBytes(bytes);
        }
        Flow.Subscription from = source;
        if (from != null && read.size() < most) {
            from.request(1);
        } else if (from != null) {
            from.cancel();
            end();
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        end();
    }

    private void end() {
        body.complete(read.toString(StandardCharsets.UTF_8));
    }
}
