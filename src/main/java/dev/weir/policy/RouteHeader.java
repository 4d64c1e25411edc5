package dev.weir.policy;

/**
 * A header that is put on every request to the upstreams of a route. Its text does not show the value, which may be a secret.
 *
 * @param name  as it is sent
 * @param value with the secrets that its row names
 */
public record RouteHeader(String name, String value) {

    @Override
    public String toString() {
        return "RouteHeader[" + name + "]";
    }
}
