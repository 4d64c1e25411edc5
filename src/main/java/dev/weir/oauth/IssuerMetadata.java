package dev.weir.oauth;

import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where an issuer says where its keys are, and what it says. */
final class IssuerMetadata {

    private static final String OAUTH = "/.well-known/oauth-authorization-server";
    private static final String OPENID = "/.well-known/openid-configuration";

    private IssuerMetadata() {}

    /**
     * The addresses under which an issuer may have its metadata, in the order in which they are to be asked.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc8414#section-3">RFC 8414, 3</a>
     * @see <a href="https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationRequest">OpenID Connect
     *     Discovery, 4.1</a>
     */
    static List<URI> addresses(URI issuer) {
        String origin = issuer.getScheme() + "://" + issuer.getRawAuthority();
        String path = issuer.getRawPath();
        while (path.endsWith("/")) {
            path = path.substring(0, path.length() - 1);
        }
        Set<URI> addresses = new LinkedHashSet<>();
        addresses.add(URI.create(origin + OAUTH + path));
        addresses.add(URI.create(origin + OPENID + path));
        addresses.add(URI.create(origin + path + OPENID));
        return List.copyOf(addresses);
    }

    /**
     * Where the keys are, by the issuer's metadata.
     *
     * @throws IOException if it is the metadata of somebody else, or names no address that may be asked
     */
    static URI jwksUri(URI issuer, String metadata) throws IOException {
        Map<String, Object> said = Document.read(metadata, "its metadata");
        try {
            if (!issuer.toString().equals(said.get("issuer"))) {
                throw new IOException("its metadata is that of another issuer");
            }
            if (said.get("jwks_uri") instanceof String address && mayBeAsked(URI.create(address), issuer)) {
                return URI.create(address);
            }
            throw new IOException("its metadata has no jwks_uri that may be asked");
        } catch (IllegalArgumentException e) {
            throw new IOException("its metadata has a jwks_uri that is no address", e);
        }
    }

    /** Nothing is asked for keys over less than what the issuer itself is named by. */
    private static boolean mayBeAsked(URI address, URI issuer) {
        boolean secure = "https".equalsIgnoreCase(address.getScheme());
        boolean asTheIssuer =
                "http".equalsIgnoreCase(address.getScheme()) && "http".equalsIgnoreCase(issuer.getScheme());
        return (secure || asTheIssuer) && address.getHost() != null && address.getRawUserInfo() == null;
    }
}
