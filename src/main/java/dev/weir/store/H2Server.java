package dev.weir.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.engine.SysProperties;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;

/**
 * Serves an H2 file that this process holds to other processes of this machine, so that {@code sql} works beside a running
 * Weir. Listens on loopback, on a port that the system chooses and a file tells, and serves that one directory.
 */
final class H2Server implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";
    private static final String PORT_FILE = "db-port";

    private final Server server;
    private final Path portFile;

    private H2Server(Server server, Path portFile) {
        this.server = server;
        this.portFile = portFile;
    }

    /** To be called before anything else of H2, which reads this once, as it is loaded. */
    static void listenOnLoopbackOnly() {
        System.setProperty("h2.bindAddress", LOOPBACK);
        // A store of values that are to be found again, which are nearly none in rows that are read once.
        System.setProperty("h2.objectCache", "false");
    }

    static H2Server start(Path database, Path dataDir) throws SQLException, IOException {
        if (!LOOPBACK.equals(SysProperties.BIND_ADDRESS)) {
            throw new SQLException("H2 was loaded by somebody else before, and would listen on more than loopback");
        }
        Path directory = database.resolveSibling("");
        // H2 asks for a password to stop its server from afar; nobody is to know it.
        Server server = Server.createTcpServer(
                "-tcpPort",
                "0",
                "-tcpDaemon",
                "-ifExists",
                "-baseDir",
                directory.toString(),
                "-tcpPassword",
                DatabasePassword.random());
        server.start();
        Path portFile = dataDir.resolve(PORT_FILE);
        try {
            OwnerOnlyFile.createDirectories(dataDir);
            OwnerOnlyFile.write(portFile, Integer.toString(server.getPort()));
        } catch (IOException e) {
            server.stop();
            throw e;
        }
        return new H2Server(server, portFile);
    }

    /** The port of the server that a running Weir has left word of; null if there is none. */
    static @Nullable Integer port(Path dataDir) throws IOException {
        String line = OwnerOnlyFile.read(dataDir.resolve(PORT_FILE));
        return line != null && line.matches("[0-9]{1,5}") ? Integer.valueOf(line) : null;
    }

    @Override
    public void close() throws IOException {
        server.stop();
        Files.deleteIfExists(portFile);
    }
}
