package vecc.neuralogic;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that appears whole or not at all: it is written beside its place, synced and renamed. Closed
 * without commit it leaves what was there.
 */
final class AtomicFile implements Closeable {
  private final Path target;
  private final Path temporary;
  private final FileChannel channel;

  AtomicFile(Path target) throws Failure {
    this.target = target;
    check(target);
    Path name = target.getFileName();
    try {
      // Not Files.createTempFile, whose files only their owner can read.
      String unique = "." + name + "." + Long.toHexString(System.nanoTime()) + ".part";
      temporary = target.resolveSibling(unique);
      channel = FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
      temporary.toFile().deleteOnExit(); // Ctrl-C
    } catch (IOException e) {
      throw cannotWrite(target, e);
    }
  }

  /** Whether a file can be there, before the work for it is done. */
  static Path check(Path target) throws Failure {
    Path folder = target.toAbsolutePath().getParent();
    String problem = null;
    if (Files.isDirectory(target)) {
      problem = "is a folder";
    } else if (!Files.isDirectory(folder)) {
      problem = "there is no folder " + folder;
    } else if (!Files.isWritable(folder)) {
      problem = "the folder cannot be written to";
    }
    if (problem == null) return target;
    throw new Failure(Failure.INPUT, target + ": " + problem);
  }

  static Failure cannotWrite(Path path, IOException e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return new Failure(Failure.INPUT, path + ": cannot be written (" + message + ")");
  }

  OutputStream stream() {
    return Channels.newOutputStream(channel);
  }

  /** After the last byte has been given to stream(). */
  void commit() throws IOException {
    channel.force(true);
    channel.close();
    try {
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(temporary);
  }
}
