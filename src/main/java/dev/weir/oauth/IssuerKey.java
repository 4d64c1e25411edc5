package dev.weir.oauth;

import com.nimbusds.jose.Algorithm;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One public key of the issuer, and the algorithms that it may be used with: those of its family, or the one that it says. So no
 * token chooses how a key is used. Immutable.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8725#section-3.1">RFC 8725, 3.1: perform algorithm verification</a>
 */
final class IssuerKey {

    private static final int LEAST_RSA_BITS = 2_048;

    private static final Set<JWSAlgorithm> RSA = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512);

    private static final Map<Curve, JWSAlgorithm> EC = Map.of(
            Curve.P_256, JWSAlgorithm.ES256,
            Curve.P_384, JWSAlgorithm.ES384,
            Curve.P_521, JWSAlgorithm.ES512);

    private final JWK jwk;
    private final Set<JWSAlgorithm> algorithms;
    private final JWSVerifier verifier;

    private IssuerKey(JWK jwk, Set<JWSAlgorithm> algorithms, JWSVerifier verifier) {
        this.jwk = jwk;
        this.algorithms = algorithms;
        this.verifier = verifier;
    }

    /** Takes a key; null if no token can be verified with it. */
    static @Nullable IssuerKey of(JWK key) {
        JWK jwk = key.toPublicJWK();
        if (jwk == null || !isForSignatures(jwk)) {
            return null;
        }
        try {
            if (jwk instanceof RSAKey rsa && rsa.size() >= LEAST_RSA_BITS) {
                return usable(jwk, RSA, new RSASSAVerifier(rsa));
            }
            if (jwk instanceof ECKey ec && EC.containsKey(ec.getCurve())) {
                return usable(jwk, Set.of(EC.get(ec.getCurve())), new ECDSAVerifier(ec));
            }
            if (jwk instanceof OctetKeyPair okp && Curve.Ed25519.equals(okp.getCurve())) {
                return usable(jwk, Ed25519Verifier.ALGORITHMS, new Ed25519Verifier(okp.getDecodedX()));
            }
            return null;
        } catch (JOSEException | GeneralSecurityException | IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isForSignatures(JWK jwk) {
        return (jwk.getKeyUse() == null || jwk.getKeyUse().equals(KeyUse.SIGNATURE))
                && (jwk.getKeyOperations() == null || jwk.getKeyOperations().contains(KeyOperation.VERIFY));
    }

    private static @Nullable IssuerKey usable(JWK jwk, Set<JWSAlgorithm> family, JWSVerifier verifier) {
        Algorithm only = jwk.getAlgorithm();
        Set<JWSAlgorithm> algorithms = family.stream()
                .filter(algorithm -> only == null || algorithm.getName().equals(only.getName()))
                .collect(Collectors.toUnmodifiableSet());
        return algorithms.isEmpty() ? null : new IssuerKey(jwk, algorithms, verifier);
    }

    /** Whether the header of a token names this key, or none. */
    boolean isNamedBy(JWSHeader header) {
        return header.getKeyID() == null || header.getKeyID().equals(jwk.getKeyID());
    }

    /** Whether a token is signed with this key. */
    boolean verifies(JWSObject token) {
        if (!algorithms.contains(token.getHeader().getAlgorithm())) {
            return false;
        }
        try {
            return token.verify(verifier);
        } catch (JOSEException e) {
            return false;
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IssuerKey key && jwk.equals(key.jwk);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(jwk);
    }
}
