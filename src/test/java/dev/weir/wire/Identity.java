package dev.weir.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A private key with a certificate that it has signed itself, in files, as an operator would have them. */
public final class Identity {

    public static final String PASSWORD = "changeit";

    private final Path directory;
    private final String name;
    private final KeyStore store;

    private Identity(Path directory, String name) throws IOException, GeneralSecurityException {
        this.directory = directory;
        this.name = name;
        this.store = KeyStore.getInstance(keyStore().toFile(), PASSWORD.toCharArray());
    }

    /**
     * Makes one.
     *
     * @param san whom the certificate is for, such as {@code ip:127.0.0.1}
     */
    public static Identity make(Path directory, String name, String san) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "SAN=" + san,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        directory.resolve(name + ".p12").toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!keytool.waitFor(30, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            throw new IllegalStateException("keytool: " + said);
        }
        return new Identity(directory, name);
    }

    /** The key and its certificate, as PKCS12. */
    public Path keyStore() {
        return directory.resolve(name + ".p12");
    }

    /** The certificate alone, as PKCS12. */
    public Path trustStore() throws Exception {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry(name, certificate());
        Path file = directory.resolve(name + "-trust.p12");
        try (var out = Files.newOutputStream(file)) {
            trust.store(out, PASSWORD.toCharArray());
        }
        return file;
    }

    /** The certificate as PEM, and before it the key, if it is wanted. */
    public Path pem(boolean withKey) throws Exception {
        byte[] key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
        String text = "Some words, which openssl puts there as well\n" + (withKey ? block("PRIVATE KEY", key) : "")
                + block("CERTIFICATE", certificate().getEncoded());
        return Files.writeString(directory.resolve(name + (withKey ? "-key.pem" : ".pem")), text);
    }

    private static String block(String what, byte[] content) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + what
                + "-----\n";
    }

    public Certificate certificate() throws GeneralSecurityException {
        return store.getCertificate(name);
    }

    /** What shows this identity, and believes others only. */
    public SSLContext context(Identity... believed) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust(believed).getTrustManagers(), null);
        return context;
    }

    /** What shows nothing, and believes some. */
    public static SSLContext believing(Identity... believed) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust(believed).getTrustManagers(), null);
        return context;
    }

    private static TrustManagerFactory trust(Identity... believed) throws Exception {
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load((InputStream) null, null);
        for (Identity identity : believed) {
            trust.setCertificateEntry(identity.name, identity.certificate());
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trust);
        return factory;
    }
}
