package dev.weir.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of the console, and of the libraries that it draws with, out of the class path: {@code /lib/NAME/FILE} is a file of the
 * WebJar NAME, whatever its version. Each is read once. Safe for use by many threads.
 */
public final class ConsoleFiles {

    /**
     * A file.
     *
     * @param type    its media type
     * @param tag     changes with its content, as an {@code ETag}
     * @param content not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent")
    record File(String type, String tag, byte[] content) {}

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=utf-8",
            "js", "text/javascript;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "woff2", "font/woff2");

    /** Nothing that could lead out of the folder. */
    private static final Pattern PATH = Pattern.compile("(/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)+");

    private static final Pattern LIBRARY = Pattern.compile("/lib/([a-z-]+)(/.+)");

    private final ClassLoader loader;
    private final Map<String, File> files = new ConcurrentHashMap<>();

    /** @param loader finds {@code console/} and the WebJars */
    public ConsoleFiles(ClassLoader loader) {
        this.loader = loader;
    }

    /** The file at a path; null if there is none. */
    @Nullable
    File find(String path) {
        File known = files.get(path);
        if (known != null || !PATH.matcher(path).matches()) {
            return known;
        }
        String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
        byte[] content = type == null ? null : read(resource(path));
        if (type == null || content == null) {
            return null;
        }
        File file = new File(type, tag(content), content);
        files.put(path, file);
        return file;
    }

    private String resource(String path) {
        var library = LIBRARY.matcher(path);
        if (!library.matches()) {
            return "console" + path;
        }
        String name = library.group(1);
        return "META-INF/resources/webjars/" + name + "/" + version(name) + library.group(2);
    }

    /** What Maven has written into the WebJar. */
    private String version(String library) {
        byte[] pom = read("META-INF/maven/org.webjars.npm/" + library + "/pom.properties");
        Properties properties = new Properties();
        if (pom != null) {
            try {
                properties.load(new java.io.ByteArrayInputStream(pom));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return properties.getProperty("version", "none");
    }

    private byte @Nullable [] read(String resource) {
        try (InputStream in = loader.getResourceAsStream(resource)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    private static String tag(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return "\"" + HexFormat.of().formatHex(digest, 0, 16) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
