package dev.weir.issuer;

import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key of an issuer, which signs by what the JDK brings: whatever it is told to, good or not. Immutable. */
public final class TestKey {

    private final String algorithm;
    private final String id;
    private final KeyPair pair;

    private TestKey(String algorithm, String id, KeyPair pair) {
        this.algorithm = algorithm;
        this.id = id;
        this.pair = pair;
    }

    /** A fresh one for an algorithm by its name in JWA, such as {@code RS256}. */
    public static TestKey of(String algorithm, String id) {
        try {
            return new TestKey(algorithm, id, pair(algorithm));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair pair(String algorithm) throws GeneralSecurityException {
        if (algorithm.startsWith("Ed")) {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        }
        boolean rsa = algorithm.startsWith("RS") || algorithm.startsWith("PS");
        KeyPairGenerator generator = KeyPairGenerator.getInstance(rsa ? "RSA" : "EC");
        if (rsa) {
            generator.initialize(2048);
        } else {
            generator.initialize(new ECGenParameterSpec(
                    switch (algorithm) {
                        case "ES256" -> "secp256r1";
                        case "ES384" -> "secp384r1";
                        default -> "secp521r1";
                    }));
        }
        return generator.generateKeyPair();
    }

    /** The same key for another algorithm that it is good for, under another name. */
    public TestKey as(String other, String name) {
        return new TestKey(other, name, pair);
    }

    public String id() {
        return id;
    }

    public PublicKey publicKey() {
        return pair.getPublic();
    }

    /** What others are shown of it. */
    public Map<String, Object> jwk() {
        JWK jwk;
        if (pair.getPublic() instanceof RSAPublicKey rsa) {
            jwk = new RSAKey.Builder(rsa).keyID(id).build();
        } else if (pair.getPublic() instanceof ECPublicKey ec) {
            jwk = new ECKey.Builder(Curve.forECParameterSpec(ec.getParams()), ec)
                    .keyID(id)
                    .build();
        } else {
            byte[] x509 = pair.getPublic().getEncoded();
            byte[] x = Arrays.copyOfRange(x509, x509.length - 32, x509.length);
            jwk = new OctetKeyPair.Builder(Curve.Ed25519, Base64URL.encode(x))
                    .keyID(id)
                    .build();
        }
        return jwk.toJSONObject();
    }

    /** A token of these claims, as this key's issuer would sign it. */
    public String token(Map<String, ?> claims) {
        return token(Map.of("alg", algorithm, "kid", id, "typ", "at+jwt"), claims);
    }

    /** A token with a header of the test's own, signed with this key by its own algorithm. */
    public String token(Map<String, ?> header, Map<String, ?> claims) {
        String input = part(header) + "." + part(claims);
        return input + "." + Base64URL.encode(sign(input.getBytes(StandardCharsets.UTF_8)));
    }

    private byte[] sign(byte[] input) {
        try {
            Signature signature = Signature.getInstance(jca());
            if (algorithm.startsWith("PS")) {
                String hash = "SHA-" + algorithm.substring(2);
                signature.setParameter(new PSSParameterSpec(
                        hash, "MGF1", new MGF1ParameterSpec(hash), Integer.parseInt(algorithm.substring(2)) / 8, 1));
            }
            signature.initSign(pair.getPrivate());
            signature.update(input);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private String jca() {
        String bits = algorithm.substring(2);
        return switch (algorithm.substring(0, 2)) {
            case "RS" -> "SHA" + bits + "withRSA";
            case "PS" -> "RSASSA-PSS";
            case "ES" -> "SHA" + bits + "withECDSAinP1363Format";
            default -> "Ed25519";
        };
    }

    /** A token that is signed with a secret which everybody knows, such as a public key. */
    public static String hmac(byte[] secret, Map<String, ?> header, Map<String, ?> claims) {
        try {
            String input = part(header) + "." + part(claims);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return input + "." + Base64URL.encode(mac.doFinal(input.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A part of a token. */
    public static String part(Map<String, ?> json) {
        return Base64URL.encode(JSONObjectUtils.toJSONString(new LinkedHashMap<>(json)))
                .toString();
    }
}
