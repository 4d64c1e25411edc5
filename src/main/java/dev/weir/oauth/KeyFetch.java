package dev.weir.oauth;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gets the issuer's keys: from the address that is configured, else from where its metadata says. Never waits. */
final class KeyFetch implements Supplier<CompletableFuture<KeySet>> {

    private static final int OK = 200;

    private final IssuerClient client;
    private final URI issuer;
    private final @Nullable URI jwksUrl;

    /** @param jwksUrl null to ask the issuer where its keys are */
    KeyFetch(IssuerClient client, URI issuer, @Nullable URI jwksUrl) {
        this.client = client;
        this.issuer = issuer;
        this.jwksUrl = jwksUrl;
    }

    /** The keys, or an {@link IOException} that says why there are none. */
    @Override
    public CompletableFuture<KeySet> get() {
        CompletableFuture<URI> address = jwksUrl != null
                ? CompletableFuture.completedFuture(jwksUrl)
                : discovered(IssuerMetadata.addresses(issuer), new IOException("it has no metadata"));
        return address.thenCompose(this::keys);
    }

    private CompletableFuture<KeySet> keys(URI address) {
        return client.get(address).thenApply(answer -> {
            if (answer.status() != OK) {
                throw new CompletionException(new IOException(address + " answered " + answer.status()));
            }
            try {
                return KeySet.parse(answer.body());
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
    }

    /** @param reason why there was nothing at the places before */
    private CompletableFuture<URI> discovered(List<URI> places, IOException reason) {
        if (places.isEmpty()) {
            return CompletableFuture.failedFuture(reason);
        }
        List<URI> others = places.subList(1, places.size());
        return client.get(places.get(0)).thenCompose(answer -> {
            if (answer.status() != OK) {
                return discovered(others, reason);
            }
            try {
                return CompletableFuture.completedFuture(IssuerMetadata.jwksUri(issuer, answer.body()));
            } catch (IOException e) {
                return discovered(others, e);
            }
        });
    }
}
