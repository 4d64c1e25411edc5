package dev.weir.proxy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.weir.upstream.Header;
import dev.weir.upstream.Introduction;
import dev.weir.upstream.Upstream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells an upstream who calls, where its route asks for it: as a name, or as a JWT with that name as its subject, which nobody can
 * make who does not know the route's secret. A client's own field of this name never gets so far. Safe for use by many threads.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7515">RFC 7515: JSON Web Signature</a>
 */
final class ClientHeader {

    static final String NAME = "X-Weir-Client";

    /** Long enough for clocks that differ, too short to be of use to whoever finds one in a log. */
    private static final Duration GOOD_FOR = Duration.ofMinutes(1);

    private static final JWSHeader HEADER =
            new JWSHeader.Builder(JWSAlgorithm.HS256).type(JOSEObjectType.JWT).build();

    private final InstantSource clock;

    /** @param clock the wall clock */
    ClientHeader(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * The headers of a request, with this one among them where the route asks for it and there is somebody to be told of.
     *
     * @param client who has proven that the request is its own; null for nobody
     */
    List<Header> with(Upstream upstream, @Nullable String client, List<Header> headers) {
        Introduction introduction = upstream.access().clients();
        if (!introduction.told() || client == null) {
            return headers;
        }
        String name = escaped(client);
        String secret = introduction.secret();
        List<Header> all = new ArrayList<>(headers);
        all.add(new Header(NAME, secret == null ? name : signed(upstream, name, secret)));
        return all;
    }

    private String signed(Upstream upstream, String name, String secret) {
        Instant now = clock.instant();
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .issuer("weir")
                .audience(upstream.prefix())
                .subject(name)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(GOOD_FOR)))
                .build();
        try {
            SignedJWT jwt = new SignedJWT(HEADER, claims);
            jwt.sign(new MACSigner(secret.getBytes(StandardCharsets.UTF_8)));
            return jwt.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException("a secret that was found long enough is not", e);
        }
    }

    /** A name may hold anything, a header may not. */
    private static String escaped(String name) {
        StringBuilder escaped = new StringBuilder(name.length());
        for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
            if (next > ' ' && next < 0x7f && next != '%') {
                escaped.append((char) next);
            } else {
                escaped.append('%').append(String.format("%02X", next & 0xff));
            }
        }
        return escaped.toString();
    }
}
