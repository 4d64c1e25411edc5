package dev.weir.upstream;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way of one call to a target: sends it, and tells how the target did. If it is certain that the target has got nothing of the
 * call, because there was no connection to it, the next one gets it; a call that may have run is never sent again.
 *
 * <p>Safe for use by many threads.
 */
public final class TargetCall implements CallWatch {

    private final Targets targets;
    private final Upstream route;
    private final String owner;
    private final Deque<URI> next;
    private volatile Upstream upstream;
    private volatile int status;

    TargetCall(Targets targets, Upstream route, String owner, URI first, List<URI> next) {
        this.targets = targets;
        this.route = route;
        this.owner = owner;
        this.upstream = route.at(first);
        this.next = new ArrayDeque<>(next);
    }

    /** The target that the call goes to as things stand. */
    public Upstream upstream() {
        return upstream;
    }

    /** For calls whose answer means something for the first target only. */
    public void stay() {
        next.clear();
    }

    /**
     * A client that sends the one request of this call.
     *
     * @param address where the request goes at another target than the first
     */
    public UpstreamClient through(UpstreamClient client, Function<Upstream, URI> address) {
        return (first, request, answer) -> {
            Way way = new Way(client, address, request, answer);
            way.send(request);
            return way;
        };
    }

    @Override
    public void answering(int answered) {
        status = answered;
    }

    @Override
    public void streaming() {
        if (status < 500) {
            health().succeeded("call");
        }
    }

    @Override
    public void answered() {
        if (status < 500) {
            health().succeeded("call");
        } else {
            health().callFailed("status " + status);
        }
    }

    @Override
    public void failed(String why) {
        health().callFailed(why);
    }

    @Override
    public void left() {
        health().callLeft();
    }

    private TargetHealth health() {
        return targets.health(route, upstream.base());
    }

    private void remember(int answered, List<Header> headers) {
        if (!route.manners().mcp() || answered >= 400) {
            return;
        }
        for (Header header : headers) {
            if (header.name().equalsIgnoreCase("Mcp-Session-Id")) {
                targets.opened(route, owner, header.value(), upstream.base());
            }
        }
    }

    /** The request on its way, to one target after the other. */
    private final class Way implements UpstreamClient.Answer, UpstreamClient.Call {

        private final UpstreamClient client;
        private final Function<Upstream, URI> address;
        private final UpstreamRequest request;
        private final UpstreamClient.Answer answer;
        private UpstreamClient.@Nullable Call call;
        private int turn;
        private @Nullable Throwable aborted;

        Way(
                UpstreamClient client,
                Function<Upstream, URI> address,
                UpstreamRequest request,
                UpstreamClient.Answer answer) {
            this.client = client;
            this.address = address;
            this.request = request;
            this.answer = answer;
        }

        void send(UpstreamRequest to) {
            int mine;
            synchronized (this) {
                mine = ++turn;
            }
            UpstreamClient.Call sent = client.send(upstream, to, this);
            Throwable cause;
            synchronized (this) {
                if (mine == turn) {
                    // Else it has failed meanwhile, and the request is on its way to the next target.
                    call = sent;
                }
                cause = aborted;
            }
            if (cause != null) {
                sent.abort(cause);
            }
        }

        @Override
        public void abort(Throwable cause) {
            UpstreamClient.Call sent;
            synchronized (this) {
                aborted = cause;
                sent = call;
            }
            if (sent != null) {
                sent.abort(cause);
            }
        }

        @Override
        public void onHead(int answered, List<Header> headers) {
            remember(answered, headers);
            answer.onHead(answered, headers);
        }

        @Override
        public void onContent(ByteBuffer content, Runnable more) {
            answer.onContent(content, more);
        }

        @Override
        public void onComplete() {
            answer.onComplete();
        }

        @Override
        public void onFailure(Throwable cause) {
            answer.onFailure(cause);
        }

        @Override
        public void onNothingSent(Throwable cause) {
            // Where too many calls wait, the target is not to blame, and another would know none of the owner's
            // sessions. A body that comes in piece by piece is gone.
            boolean last = cause instanceof RejectedExecutionException || request.streamed() != null;
            URI other = last ? null : nextTarget();
            if (other == null) {
                answer.onNothingSent(cause);
                return;
            }
            failed(cause.toString());
            upstream = route.at(other);
            UpstreamRequest again;
            try {
                again = request.to(address.apply(upstream));
            } catch (IllegalArgumentException e) {
                answer.onNothingSent(new IOException(e));
                return;
            }
            send(again);
        }

        private synchronized @Nullable URI nextTarget() {
            return aborted == null ? next.poll() : null;
        }
    }
}
