package dev.weir.settings;

import dev.weir.auth.ForwardedHeader;
import dev.weir.auth.TrustedProxies;
import dev.weir.web.OriginRule;
import dev.weir.web.Preflights;
import dev.weir.web.PublicBase;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** What the settings say of where requests come from, and under which names. */
public final class FrontDoor {

    private FrontDoor() {}

    /** @throws SettingsException if any of it cannot be used */
    static void check(Settings settings) {
        origins(settings);
        base(settings);
        preflights(settings);
    }

    /** The pages that may call, and the names that they may use. */
    public static OriginRule origins(Settings settings) {
        Set<String> hosts = settings.allowedHosts().orElse(Set.of());
        Set<String> origins = new HashSet<>(settings.allowedOrigins().orElse(Set.of()));
        usable("mcp.allowed-hosts", () -> hosts.stream().map(OriginRule::host).toList());
        usable(
                "mcp.allowed-origins",
                () -> origins.stream().map(OriginRule::origin).toList());
        // A page of Weir's own address is its own page, whatever the proxies in between make of that.
        settings.publicUrl().ifPresent(url -> origins.add(url.getScheme() + "://" + url.getRawAuthority()));
        return new OriginRule(hosts, origins);
    }

    /** What pages may send. */
    public static Preflights preflights(Settings settings) {
        return usable(
                "mcp.allowed-headers",
                () -> new Preflights(settings.allowedHeaders().orElse(Set.of())));
    }

    /** The proxies whose word is taken. */
    public static TrustedProxies proxies(Settings settings) {
        ForwardedHeader header = usable("mcp.forwarded-header", () -> ForwardedHeader.of(settings.forwardedHeader()));
        return usable(
                "mcp.trusted-proxies",
                () -> TrustedProxies.of(settings.trustedProxies().orElse(Set.of()), header));
    }

    /** The address that clients know. */
    public static PublicBase base(Settings settings) {
        settings.publicUrl().ifPresent(FrontDoor::checkPublic);
        return new PublicBase(settings.publicUrl().orElse(null), proxies(settings));
    }

    private static void checkPublic(URI url) {
        boolean usable = ("https".equals(url.getScheme()) || "http".equals(url.getScheme()))
                && url.getHost() != null
                && url.getRawUserInfo() == null
                && url.getRawQuery() == null
                && url.getRawFragment() == null;
        if (!usable) {
            throw new SettingsException(
                    "mcp.public-url must be an http or https URL without user, query or fragment, not [" + url + "]");
        }
    }

    private static <T> T usable(String setting, Supplier<T> making) {
        try {
            return making.get();
        } catch (IllegalArgumentException e) {
            throw new SettingsException(setting + ": " + e.getMessage());
        }
    }
}
