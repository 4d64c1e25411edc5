package dev.weir.alert;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes one attempt to deliver an alert: over HTTP/1.1, without redirects, and within the time that it is given, in which the answer has
 * to be there too. What goes wrong is told in words of its own, because the words of exceptions may hold addresses. Safe for use by
 * many threads; never waits.
 */
final class Postman {

    /** More than any receiver says that is listened to. */
    private static final int MOST_BYTES = 4_096;

    private final HttpClient client;
    private final AlertRules.Delivery rules;
    private final AlertThreads threads;
    private final AlertClocks clocks;

    Postman(AlertRules.Delivery rules, AlertThreads threads, AlertClocks clocks) {
        this.rules = rules;
        this.threads = threads;
        this.clocks = clocks;
        // The client has a thread of its own that selects, and ends it some seconds after the client is gone.
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(rules.connect())
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(threads.web())
                .build();
    }

    /** What comes of it; never fails. */
    CompletableFuture<Result> deliver(AlertTarget target, Alert alert) {
        Format format = target.format().writer();
        AtomicReference<HttpResponse.@Nullable ResponseInfo> head = new AtomicReference<>();
        CompletableFuture<HttpResponse<String>> answer;
        Future<?> late;
        try {
            Post post = format.write(target, alert, clocks.wall().instant());
            answer = client.sendAsync(request(post), info -> {
                head.set(info);
                return new BoundedBody(MOST_BYTES);
            });
            // The time limit of a request ends with the head of its answer, so the whole of it needs another.
            late = threads.timer()
                    .schedule(() -> answer.cancel(true), rules.total().toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(Result.refused("Weir stops"));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(Result.refused("could not be written: " + name(e)));
        }
        return answer.handle((response, failure) -> {
            late.cancel(false);
            HttpResponse.ResponseInfo begun = head.get();
            if (response != null) {
                return format.read(answer(response.statusCode(), response.headers(), response.body()));
            }
            // Whoever says so with the status alone has said it, whatever becomes of the body.
            return begun != null && !format.needsBody()
                    ? format.read(answer(begun.statusCode(), begun.headers(), ""))
                    : Result.mayPass(reason(failure));
        });
    }

    private static HttpRequest request(Post post) {
        HttpRequest.Builder request = HttpRequest.newBuilder(post.url())
                .header("Content-Type", "application/json; charset=utf-8")
                .header("User-Agent", "weir")
                .POST(HttpRequest.BodyPublishers.ofString(post.body()));
        post.headers().forEach(request::header);
        return request.build();
    }

    private Answer answer(int status, java.net.http.HttpHeaders headers, String body) {
        Instant now = clocks.wall().instant();
        String after = headers.firstValue("Retry-After").orElse("");
        return new Answer(status, RetryAfter.of(after, now), body);
    }

    private String reason(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof CancellationException) {
            return "no answer within " + rules.total().toMillis() + " ms";
        }
        if (cause instanceof HttpConnectTimeoutException) {
            return "no connection within " + rules.connect().toMillis() + " ms";
        }
        if (cause instanceof SSLException) {
            return "TLS failed; perhaps the certificate is not believed";
        }
        if (cause instanceof ConnectException) {
            return cause.getCause() instanceof UnresolvedAddressException
                    ? "there is no host of this name"
                    : "there is nobody who listens";
        }
        return cause instanceof IOException ? "the connection broke" : "failed: " + name(cause);
    }

    private static String name(@Nullable Throwable failure) {
        return failure == null ? "unknown" : failure.getClass().getSimpleName();
    }
}
