package dev.weir.settings;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Reads certificates and private keys from files in PKCS12 (or JKS) or PEM.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7468">RFC 7468, textual encodings of PKIX structures</a>
 */
public final class KeyStoreFile {

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s*([A-Za-z0-9+/=\\s]+?)\\s*-----END \\1-----");

    private static final List<String> KEY_KINDS = List.of("RSA", "EC", "Ed25519", "Ed448");

    /** What a file holds, and the password that its entries are kept under. */
    public record Loaded(KeyStore store, String password) {

        @Override
        public String toString() {
            return "Loaded[" + store + "]";
        }
    }

    private KeyStoreFile() {}

    /**
     * The certificates of a file.
     *
     * @param setting what names the file, for the message
     * @throws SettingsException if the file cannot be used, or has no certificate
     */
    static KeyStore trust(String setting, Path file, @Nullable String password) {
        Loaded loaded = read(setting, file, password);
        try {
            for (String alias : Collections.list(loaded.store().aliases())) {
                if (loaded.store().isCertificateEntry(alias)) {
                    return loaded.store();
                }
            }
        } catch (GeneralSecurityException e) {
            throw unusable(setting, file, e);
        }
        throw new SettingsException(setting + " names a file that has no certificate to be trusted: " + file);
    }

    /**
     * The private key of a file and its certificates.
     *
     * @param setting what names the file, for the message
     * @throws SettingsException if the file cannot be used, or has no private key with a certificate
     */
    public static Loaded keys(String setting, Path file, @Nullable String password) {
        Loaded loaded = read(setting, file, password);
        try {
            for (String alias : Collections.list(loaded.store().aliases())) {
                Key key = loaded.store().getKey(alias, loaded.password().toCharArray());
                if (key instanceof PrivateKey && loaded.store().getCertificate(alias) != null) {
                    return loaded;
                }
            }
        } catch (GeneralSecurityException e) {
            throw unusable(setting, file, e);
        }
        throw new SettingsException(setting + " names a file that has no private key with its certificate: " + file);
    }

    private static Loaded read(String setting, Path file, @Nullable String password) {
        String secret = password == null ? "" : password;
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            if (text.contains("-----BEGIN ")) {
                return new Loaded(pem(text, secret.toCharArray()), secret);
            }
            return new Loaded(KeyStore.getInstance(file.toFile(), secret.toCharArray()), secret);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw unusable(setting, file, e);
        }
    }

    private static KeyStore pem(String text, char[] password) throws IOException, GeneralSecurityException {
        List<Certificate> certificates = new ArrayList<>();
        PrivateKey key = null;
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            byte[] content = Base64.getMimeDecoder().decode(blocks.group(2));
            switch (blocks.group(1)) {
                case "CERTIFICATE" ->
                    certificates.add(CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(content)));
                case "PRIVATE KEY" -> key = key(new PKCS8EncodedKeySpec(content));
                case "ENCRYPTED PRIVATE KEY" -> key = key(decrypted(content, password));
                default ->
                    throw new GeneralSecurityException(
                            "a block of " + blocks.group(1) + " is not read; openssl pkcs8 -topk8 makes one that is");
            }
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        if (key != null && !certificates.isEmpty()) {
            store.setKeyEntry("key", key, password, certificates.toArray(Certificate[]::new));
        } else {
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("trusted" + store.size(), certificate);
            }
        }
        return store;
    }

    private static PrivateKey key(PKCS8EncodedKeySpec spec) throws GeneralSecurityException {
        for (String kind : KEY_KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // Of another kind.
            }
        }
        throw new GeneralSecurityException("the private key is of none of the kinds " + KEY_KINDS);
    }

    private static PKCS8EncodedKeySpec decrypted(byte[] content, char[] password)
            throws IOException, GeneralSecurityException {
        EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(content);
        // For PBES2 the name of the algorithm is what the parameters say, and not the name that they are filed under.
        String algorithm = String.valueOf(info.getAlgParameters());
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(
                Cipher.DECRYPT_MODE,
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
                info.getAlgParameters());
        return info.getKeySpec(cipher);
    }

    private static SettingsException unusable(String setting, Path file, Exception cause) {
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new SettingsException(setting + " names a file that cannot be used: " + file + ": " + reason);
    }
}
