package dev.weir.settings;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What is decided before Weir starts, and stays until it stops. Each setting is a key of {@code conf/weir.properties}, a
 * system property of the same name and an environment variable ({@code mcp.db.url} and {@code MCP_DB_URL}).
 *
 * @see SettingsLoader
 */
@ConfigMapping(prefix = "mcp")
public interface Settings {

    /** The port of the embedded server. */
    @WithDefault("8080")
    int port();

    /** The address that the embedded server listens on; all of the machine's if there is none. */
    Optional<String> host();

    /** What the embedded server shows of itself; without a key store it speaks no TLS. */
    Certificate tls();

    /** HTTP/2 on the embedded server. */
    Http2 http2();

    /** Where Weir keeps what it writes. */
    @WithDefault("./data")
    Path dataDir();

    /** The MCP server behind {@code /mcp} while the route table is empty. */
    Optional<URI> upstream();

    /** The largest body that is accepted, in bytes. */
    @WithDefault("1048576")
    int maxBodyBytes();

    /** The memory that the bodies of all requests together may take, in bytes; a quarter of the heap if there is none. */
    OptionalLong maxBufferedBytes();

    /** Names that requests may call Weir by; see {@link dev.weir.web.OriginRule}. */
    Optional<Set<String>> allowedHosts();

    /** Origins of web pages that may call Weir. */
    Optional<Set<String>> allowedOrigins();

    /** Header fields that such pages may send beside those of MCP. */
    Optional<Set<String>> allowedHeaders();

    /** Addresses and blocks of addresses whose word is taken for where a request comes from. */
    Optional<Set<String>> trustedProxies();

    /** The header field in which they say so: a name of {@link dev.weir.auth.ForwardedHeader}. */
    @WithDefault("x-forwarded-for")
    String forwardedHeader();

    /** The address under which clients know Weir, without a route's prefix; what a request was sent to if there is none. */
    Optional<URI> publicUrl();

    /** How Weir stops. */
    Stop stop();

    /** How the log is written. */
    Log log();

    /** Whether the log shows short bodies of requests and answers. */
    @WithDefault("false")
    boolean debug();

    /** Who is told of bans and failures. */
    Alert alert();

    /**
     * What OpenTelemetry is told, by the names of its own settings with hyphens for dots: {@code exporter-otlp-endpoint} is
     * {@code OTEL_EXPORTER_OTLP_ENDPOINT}. Without an endpoint nothing is traced.
     */
    Map<String, String> otel();

    /** The database. */
    Database db();

    /** Trust and certificates for the way to upstreams, by the names that the column {@code route.tls} uses. */
    Map<String, Tls> upstreamTls();

    /** What rows of {@code route_header} may name and not show. */
    Map<String, String> secrets();

    /** Limits where no row says otherwise. */
    RateLimit rateLimit();

    /** Who may call. */
    Auth auth();

    /** What operators use. */
    Admin admin();

    /** What operators use: the API and the console below {@code /admin}. */
    interface Admin {

        /** Whether there is any of it. */
        @WithDefault("true")
        boolean enabled();

        /** The operator's token; one is made and kept in the data directory if there is none. */
        Optional<String> token();

        /** Addresses and blocks of addresses from which it can be reached; all if there is no list. */
        Optional<Set<String>> allowedAddresses();

        /** After how long without a request a session of the console ends, in minutes. */
        @WithDefault("30")
        int sessionIdleMinutes();

        /** How long such a session lasts at most, in hours. */
        @WithDefault("12")
        int sessionHours();
    }

    /** How the log is written. */
    interface Log {

        /** One JSON object a line, {@code json}, or lines for people, {@code text}. */
        @WithDefault("json")
        String format();

        /** Header fields of answers that {@code request_end} shows; none if there is no list. */
        Optional<Set<String>> responseHeaders();
    }

    /** Who is told of bans and failures. */
    interface Alert {

        /** Where alerts go, as signed JSON, of all kinds and routes; a secret, because such addresses often are. */
        Optional<String> webhookUrl();

        /** What those are signed with. */
        Optional<String> webhookSecret();

        /** More receivers, by names of the operator's choice. */
        Map<String, AlertTarget> targets();
    }

    /** One receiver of alerts. */
    interface AlertTarget {

        /** Where alerts go; a secret, because such addresses often are. */
        String url();

        /** What it takes: {@code json}, {@code slack}, {@code feishu}, {@code dingtalk} or {@code wecom}. */
        @WithDefault("json")
        String format();

        /** What alerts are signed with, for the formats that know of that. */
        Optional<String> secret();

        /** The kinds of alerts it gets, by the words of {@link dev.weir.alert.AlertEvent}; all that are usual if there is no list. */
        Optional<Set<String>> events();

        /** The routes whose alerts it gets; all, and those of no route, if there is no list. */
        Optional<Set<String>> routes();
    }

    /** How Weir stops. */
    interface Stop {

        /** How long all goes on as before while {@code /ready} says no, so that a load balancer sees it, in seconds. */
        @WithDefault("0")
        int delaySeconds();

        /** How long calls may take to end after that, in seconds. */
        @WithDefault("8")
        int graceSeconds();
    }

    /** The database. */
    interface Database {

        /** A JDBC URL; an H2 file under the data directory if there is none. */
        Optional<String> url();

        /** The database user. */
        @WithDefault("weir")
        String user();

        /** The password; for an H2 file one is made if there is none. */
        Optional<String> password();
    }

    /** Limits where no row says otherwise. */
    interface RateLimit {

        /** Whether anything is limited or banned at all. */
        @WithDefault("true")
        boolean enabled();

        /** What one principal may send on one route, in requests a second. */
        @WithDefault("100")
        double requestsPerSecond();

        /** The largest burst of one principal on one route. */
        @WithDefault("50")
        long burstSize();

        /** Under what calls are counted: a word of {@link dev.weir.auth.KeyStrategy}. */
        @WithDefault("client")
        String keyStrategy();
    }

    /** What a server shows of itself. */
    interface Certificate {

        /** A file of a private key and its certificates, PKCS12 or PEM. */
        Optional<Path> keyStore();

        /** The password of that file, if it has one. */
        Optional<String> keyStorePassword();
    }

    /** HTTP/2 on the embedded server. */
    interface Http2 {

        /** Whether clients may speak it beside HTTP/1.1: over TLS where they agree, and without where they begin with it. */
        @WithDefault("true")
        boolean enabled();
    }

    /** What one side of a TLS connection believes and shows. */
    interface Tls {

        /** A file of certificates that are believed, PKCS12 or PEM; those of the JVM if there is none. */
        Optional<Path> trustStore();

        /** The password of that file, if it has one. */
        Optional<String> trustStorePassword();

        /** A file of a private key and its certificates, PKCS12 or PEM; nothing is shown if there is none. */
        Optional<Path> keyStore();

        /** The password of that file, if it has one. */
        Optional<String> keyStorePassword();
    }

    /** Who may call. */
    interface Auth {

        /** Whether callers without a credential are refused. */
        @WithDefault("true")
        boolean required();

        /** Tokens of an authorization server. */
        Jwt jwt();

        /** Where the keys are that its tokens are signed with; it is asked for them if there is none. */
        Optional<URI> jwksUrl();
    }

    /** Tokens of an authorization server; without an issuer none is good. */
    interface Jwt {

        /** The one whose tokens are believed, exactly as they name it. */
        Optional<URI> issuer();

        /** Whom tokens have to be for: one of these. */
        Optional<Set<String>> audience();

        /** By how much the clocks of issuer and Weir may differ, in seconds. */
        @WithDefault("30")
        int clockSkewSeconds();
    }
}
