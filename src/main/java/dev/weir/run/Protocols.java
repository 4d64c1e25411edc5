package dev.weir.run;

import dev.weir.settings.KeyStoreFile;
import dev.weir.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.HTTP2Cipher;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** What the embedded server speaks on its port. */
final class Protocols {

    /**
     * HTTP/2 without TLS, for those that begin with it. Not for those that ask for it in a request of HTTP/1.1, which RFC 9113 does
     * away with, and which a proxy in front may let through without knowing what it does.
     */
    private static final class PriorKnowledge extends HTTP2CServerConnectionFactory {

        PriorKnowledge(HttpConfiguration http) {
            super(http);
        }

        @Override
        public @Nullable Connection upgradeConnection(
                Connector connector, EndPoint endPoint, MetaData.Request request, HttpFields.Mutable response101) {
            return HttpMethod.PRI.is(request.getMethod())
                    ? super.upgradeConnection(connector, endPoint, request, response101)
                    : null;
        }
    }

    private Protocols() {}

    /**
     * The protocols, in the order in which Jetty wants them.
     *
     * @throws dev.weir.app.SettingsException if the server's key cannot be used
     */
    static ConnectionFactory[] of(Settings settings) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        HttpConnectionFactory http1 = new HttpConnectionFactory(http);
        boolean http2 = settings.http2().enabled();
        Optional<KeyStoreFile.Loaded> key = settings.tls()
                .keyStore()
                .map(file -> KeyStoreFile.keys(
                        "mcp.tls.key-store",
                        file,
                        settings.tls().keyStorePassword().orElse(null)));
        List<ConnectionFactory> all = new ArrayList<>();
        if (key.isEmpty()) {
            all.add(http1);
            if (http2) {
                all.add(new PriorKnowledge(http));
            }
        } else {
            // Which names Weir may be called by is decided elsewhere, and not by what its certificate says.
            http.addCustomizer(new SecureRequestCustomizer(false));
            String inTls = http2 ? "alpn" : HttpVersion.HTTP_1_1.asString();
            all.add(new SslConnectionFactory(tls(key.get()), inTls));
            if (http2) {
                ALPNServerConnectionFactory agreement = new ALPNServerConnectionFactory();
                agreement.setDefaultProtocol(HttpVersion.HTTP_1_1.asString());
                all.add(agreement);
                all.add(new HTTP2ServerConnectionFactory(http));
            }
            all.add(http1);
        }
        return all.toArray(ConnectionFactory[]::new);
    }

    private static SslContextFactory.Server tls(KeyStoreFile.Loaded key) {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setKeyStore(key.store());
        tls.setKeyStorePassword(key.password());
        tls.setKeyManagerPassword(key.password());
        // First those that HTTP/2 allows.
        tls.setCipherComparator(HTTP2Cipher.COMPARATOR);
        tls.setUseCipherSuitesOrder(true);
        return tls;
    }
}
