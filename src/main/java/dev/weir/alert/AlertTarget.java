package dev.weir.alert;

import java.net.URI;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of alerts, and which of them it gets. Immutable. Its address and its secret are shown by nothing that this says, because
 * whoever knows the address of a webhook can write to it.
 */
public final class AlertTarget {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Pattern SECRET = Pattern.compile("[!-~]{1,256}");
    private static final int LEAST_OWN_SECRET = 16;

    /**
     * What a target gets.
     *
     * @param events these kinds
     * @param routes what concerns these routes; null for all, and for what concerns no route in particular
     */
    public record Wishes(Set<AlertEvent> events, @Nullable Set<String> routes) {

        /** All that is usual. */
        public static final Wishes USUAL = new Wishes(AlertEvent.USUAL, null);

        /** @throws IllegalArgumentException if something is no prefix of a route */
        public Wishes {
            events = Set.copyOf(events);
            if (routes != null) {
                routes = Set.copyOf(routes);
                for (String route : routes) {
                    if (!route.startsWith("/")) {
                        throw new IllegalArgumentException("routes must begin with a slash, not [" + route + "]");
                    }
                }
            }
        }
    }

    private final String name;
    private final URI url;
    private final AlertFormat format;
    private final @Nullable String secret;
    private final Wishes wishes;

    /**
     * @throws IllegalArgumentException if it cannot be used: begins with the name of the parameter, and shows neither address nor secret
     */
    public AlertTarget(String name, String url, AlertFormat format, @Nullable String secret, Wishes wishes) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name must be up to 64 letters, digits, hyphens and underscores");
        }
        this.name = name;
        this.url = usable(url);
        this.format = format;
        this.secret = secret;
        this.wishes = wishes;
        if (secret != null) {
            check(secret, format);
        }
    }

    private static URI usable(String url) {
        URI uri = null;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            // Its message would show the address.
        }
        boolean usable = uri != null
                && ("https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme()))
                && uri.getHost() != null
                && uri.getPort() <= 65_535
                && uri.getRawUserInfo() == null
                && uri.getRawFragment() == null;
        if (uri == null || !usable) {
            throw new IllegalArgumentException(
                    "url must be an http or https URL without user, password or fragment (it is not shown here)");
        }
        return uri;
    }

    private static void check(String secret, AlertFormat format) {
        if (!format.signs()) {
            throw new IllegalArgumentException("secret is of no use, because the format " + format.word()
                    + " has no signatures: whoever knows the address can write to it");
        }
        if (!SECRET.matcher(secret).matches()) {
            throw new IllegalArgumentException("secret must be up to 256 visible characters of ASCII");
        }
        if (format == AlertFormat.JSON && secret.length() < LEAST_OWN_SECRET) {
            throw new IllegalArgumentException("secret must have at least " + LEAST_OWN_SECRET + " characters");
        }
    }

    /** Names it to operators. */
    public String name() {
        return name;
    }

    /** What it takes. */
    public AlertFormat format() {
        return format;
    }

    /** Whether it is to get an event, at least on some routes. */
    public boolean wants(AlertEvent event) {
        return wishes.events().contains(event);
    }

    boolean wants(News news) {
        Set<String> routes = wishes.routes();
        return wants(news.event()) && (routes == null || (news.route() != null && routes.contains(news.route())));
    }

    URI url() {
        return url;
    }

    @Nullable
    String secret() {
        return secret;
    }

    @Override
    public String toString() {
        return name + " (" + format.word() + ")";
    }
}
