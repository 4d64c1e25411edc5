package dev.weir.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A small text file that nobody but its owner can read, from the moment it exists. */
public final class OwnerOnlyFile {

    private OwnerOnlyFile() {}

    /** Puts a file with this line in the place of what was there. */
    public static void write(Path file, String line) throws IOException {
        Files.deleteIfExists(file);
        // The permissions are given as the file is made, because between making it and narrowing it others could open
        // it.
        try (SeekableByteChannel channel = Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), permissions("rw-------"))) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** The line of a file; null if there is no such file, or it is empty. */
    public static @Nullable String read(Path file) throws IOException {
        try {
            String line = Files.readString(file).strip();
            return line.isEmpty() ? null : line;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Makes a directory that only its owner can enter, unless it is there already. */
    public static void createDirectories(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, permissions("rwx------"));
        }
    }

    private static FileAttribute<?>[] permissions(String permissions) {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
