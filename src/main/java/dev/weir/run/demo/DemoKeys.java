package dev.weir.run.demo;

import dev.weir.auth.ApiKey;
import dev.weir.store.OwnerOnlyFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The keys of the demo's clients, kept over restarts in a file that only its owner can read. A real client's key is kept by
 * its digest alone; these are kept whole, so that they can be shown again.
 */
final class DemoKeys {

    static final String AGENT = "demo-agent";
    static final String DASHBOARD = "demo-dashboard";

    private static final String FILE = "demo-keys";

    private final Map<String, String> keys;

    private DemoKeys(Map<String, String> keys) {
        this.keys = keys;
    }

    /** Reads the file, or makes it at the first start. */
    static DemoKeys keep(Path dataDir) throws IOException {
        Path file = dataDir.resolve(FILE);
        String text = OwnerOnlyFile.read(file);
        if (text == null) {
            SecureRandom random = new SecureRandom();
            text = String.join("\n", AGENT + "=" + ApiKey.make(random), DASHBOARD + "=" + ApiKey.make(random));
            OwnerOnlyFile.createDirectories(dataDir);
            OwnerOnlyFile.write(file, text);
        }
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        Map<String, String> keys = new TreeMap<>();
        properties.stringPropertyNames().forEach(client -> keys.put(client, properties.getProperty(client)));
        return new DemoKeys(keys);
    }

    /** The keys by their clients. */
    Map<String, String> keys() {
        return keys;
    }

    /** The digests of the keys by their clients. */
    Map<String, String> digests() {
        Map<String, String> digests = new TreeMap<>();
        keys.forEach((client, key) -> digests.put(client, ApiKey.digest(key)));
        return digests;
    }
}
