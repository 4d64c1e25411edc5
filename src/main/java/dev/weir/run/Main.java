package dev.weir.run;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Where {@code java -jar weir.war} begins: unpacks the libraries of the archive into a folder of its own and starts the
 * command line with them. The only class outside {@code WEB-INF}, and so alone: it sees nothing but Java.
 */
public final class Main {

    private static final String COMMAND_LINE = "dev.weir.run.CommandLineMain";
    private static final String CLASSES = "WEB-INF/classes/";
    private static final List<String> LIBRARIES = List.of("WEB-INF/lib/", "WEB-INF/lib-boot/");
    private static final String FOLDER = "weir-";

    /** The file in a folder on which its process holds a lock; so the folder of a process that was killed is known. */
    private static final String LOCK = "lock";

    /** Our own lock, here because one that nobody refers to is given up. */
    private static final List<FileLock> HELD = new CopyOnWriteArrayList<>();

    private Main() {}

    /** Starts the command line. Ends the process when that is done, unless a server goes on. */
    public static void main(String[] arguments) throws Exception {
        Path archive = Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path folder = ownFolder();
        URLClassLoader loader =
                new URLClassLoader("weir", unpack(archive, folder), ClassLoader.getPlatformClassLoader());
        Thread sweeper = new Thread(() -> sweepBeside(folder), "weir-sweeper");
        sweeper.setDaemon(true);
        sweeper.start();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            loader.loadClass(COMMAND_LINE).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** A new folder, locked until the process ends. */
    private static Path ownFolder() throws IOException {
        while (true) {
            Path folder = Files.createTempDirectory(FOLDER);
            deleteAtTheEnd(folder);
            Path file = folder.resolve(LOCK);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            deleteAtTheEnd(file);
            FileLock lock = channel.tryLock();
            // Another start may have taken it for an old one in between.
            if (lock != null && Files.exists(file)) {
                HELD.add(lock);
                return folder;
            }
            channel.close();
        }
    }

    private static URL[] unpack(Path archive, Path folder) throws IOException {
        List<URL> urls = new ArrayList<>();
        urls.add(makeFolder(folder.resolve(CLASSES)).toUri().toURL());
        try (JarFile war = new JarFile(archive.toFile())) {
            for (Enumeration<JarEntry> entries = war.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                String name = entry.getName();
                boolean library = name.endsWith(".jar") && LIBRARIES.stream().anyMatch(name::startsWith);
                if (!entry.isDirectory() && (library || name.startsWith(CLASSES))) {
                    Path file = folder.resolve(name).normalize();
                    if (!file.startsWith(folder)) {
                        throw new IOException("the archive has an entry outside itself: " + name);
                    }
                    makeFolder(parent(file));
                    try (InputStream in = war.getInputStream(entry)) {
                        Files.copy(in, file);
                    }
                    deleteAtTheEnd(file);
                    if (library) {
                        urls.add(file.toUri().toURL());
                    }
                }
            }
        }
        return urls.toArray(URL[]::new);
    }

    private static Path makeFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            makeFolder(parent(folder));
            Files.createDirectory(folder);
            deleteAtTheEnd(folder);
        }
        return folder;
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent(), "nothing is unpacked at the root");
    }

    /**
     * Not by a shutdown hook, because those run side by side, and a server that is stopping by one of them may need classes that
     * it has not needed before. Folders have to come before what is in them.
     */
    private static void deleteAtTheEnd(Path file) {
        file.toFile().deleteOnExit();
    }

    /** Deletes the folders of processes that were killed, and so could not do it themselves. */
    private static void sweepBeside(Path own) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent(own), FOLDER + "*")) {
            for (Path folder : folders) {
                if (!folder.equals(own) && Files.isRegularFile(folder.resolve(LOCK))) {
                    deleteUnlessLocked(folder);
                }
            }
        } catch (IOException e) {
            // The next start sweeps again.
        }
    }

    private static void deleteUnlessLocked(Path folder) {
        try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock();
                Stream<Path> files = Files.walk(folder)) {
            if (lock != null) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            // It is somebody else's, or another start sweeps as well.
        }
    }
}
