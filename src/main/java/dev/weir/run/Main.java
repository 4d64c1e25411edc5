package dev.weir.run;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
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

    private Main() {}

    /** Starts the command line. Ends the process when that is done, unless a server goes on. */
    public static void main(String[] arguments) throws Exception {
        Path archive = Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path folder = Files.createTempDirectory("weir-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        URLClassLoader loader =
                new URLClassLoader("weir", unpack(archive, folder), ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        try {
            loader.loadClass(COMMAND_LINE).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static URL[] unpack(Path archive, Path folder) throws IOException {
        List<URL> urls = new ArrayList<>();
        Path classes = Files.createDirectories(folder.resolve(CLASSES));
        urls.add(classes.toUri().toURL());
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
                    Files.createDirectories(file.getParent());
                    try (InputStream in = war.getInputStream(entry)) {
                        Files.copy(in, file);
                    }
                    if (library) {
                        urls.add(file.toUri().toURL());
                    }
                }
            }
        }
        return urls.toArray(URL[]::new);
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            // The system's own cleaning of its temporary folder takes what is left.
        }
    }
}
