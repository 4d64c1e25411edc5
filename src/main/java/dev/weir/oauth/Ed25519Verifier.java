package dev.weir.oauth;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.jca.JCAContext;
import com.nimbusds.jose.util.Base64URL;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Set;

/**
 * Verifies signatures of Ed25519 by what the JDK brings. Safe for use by many threads.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8037#section-3.1">RFC 8037, 3.1: signing</a>
 */
final class Ed25519Verifier implements JWSVerifier {

    /** The name of the older RFC, and the one that says which curve. */
    static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.EdDSA, JWSAlgorithm.Ed25519);

    private static final int KEY_BYTES = 32;
    private static final int SIGNATURE_BYTES = 64;

    /** What stands before the 32 bytes of a key in its X.509 form, by RFC 8410. */
    private static final byte[] X509_HEAD = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    private final PublicKey key;
    private final JCAContext context = new JCAContext();

    /**
     * @param x the public key, as a JWK has it
     * @throws GeneralSecurityException if it is none
     */
    Ed25519Verifier(byte[] x) throws GeneralSecurityException {
        if (x.length != KEY_BYTES) {
            throw new GeneralSecurityException("a key of Ed25519 has " + KEY_BYTES + " bytes, not " + x.length);
        }
        byte[] x509 = new byte[X509_HEAD.length + KEY_BYTES];
        System.arraycopy(X509_HEAD, 0, x509, 0, X509_HEAD.length);
        System.arraycopy(x, 0, x509, X509_HEAD.length, KEY_BYTES);
        key = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(x509));
    }

    @Override
    public boolean verify(JWSHeader header, byte[] signingInput, Base64URL signature) {
        byte[] bytes = signature.decode();
        if (!ALGORITHMS.contains(header.getAlgorithm()) || bytes.length != SIGNATURE_BYTES) {
            return false;
        }
        try {
            Signature ed25519 = Signature.getInstance("Ed25519");
            ed25519.initVerify(key);
            ed25519.update(signingInput);
            return ed25519.verify(bytes);
        } catch (GeneralSecurityException e) {
            // Bytes that are no point or no number of the curve.
            return false;
        }
    }

    @Override
    public Set<JWSAlgorithm> supportedJWSAlgorithms() {
        return ALGORITHMS;
    }

    @Override
    public JCAContext getJCAContext() {
        return context;
    }
}
