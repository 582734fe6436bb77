package io.quarkiverse.redisbulkhead.deployment;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs test classes that start dev mode one after the other, because dev mode has one port. They may be in two processes. */
public class OneDevModeAtATime implements BeforeAllCallback, AfterAllCallback {

    private static final Path LOCK = Path.of("target", "dev-mode.lock");

    private FileChannel channel;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Files.createDirectories(LOCK.getParent());
        channel = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel.lock();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        // Closing the channel releases the lock.
        channel.close();
    }
}
