package dev.weir.settings;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** What upstreams are believed by, and what they are shown, made of the files that the settings name. */
public final class UpstreamTls {

    private UpstreamTls() {}

    /**
     * One for each name.
     *
     * @throws SettingsException if a file cannot be used; the message names the setting, the file and the reason
     */
    public static Map<String, SSLContext> of(Settings settings) {
        Map<String, SSLContext> all = new HashMap<>();
        settings.upstreamTls().forEach((name, tls) -> all.put(name, context("mcp.upstream-tls." + name, tls)));
        return all;
    }

    private static SSLContext context(String setting, Settings.Tls tls) {
        if (tls.trustStore().isEmpty() && tls.keyStore().isEmpty()) {
            throw new SettingsException(setting + " has neither a trust-store nor a key-store");
        }
        KeyStore trust = tls.trustStore()
                .map(file -> KeyStoreFile.trust(
                        setting + ".trust-store", file, tls.trustStorePassword().orElse(null)))
                .orElse(null);
        KeyStoreFile.Loaded keys = tls.keyStore()
                .map((Path file) -> KeyStoreFile.keys(
                        setting + ".key-store", file, tls.keyStorePassword().orElse(null)))
                .orElse(null);
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown(keys), believed(trust), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new SettingsException(setting + " cannot be used: " + e.getMessage());
        }
    }

    private static KeyManager @Nullable [] shown(KeyStoreFile.@Nullable Loaded keys) throws GeneralSecurityException {
        if (keys == null) {
            return null;
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys.store(), keys.password().toCharArray());
        return factory.getKeyManagers();
    }

    private static TrustManager @Nullable [] believed(@Nullable KeyStore trust) throws GeneralSecurityException {
        if (trust == null) {
            return null;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trust);
        return factory.getTrustManagers();
    }
}
