package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A self-signed certificate for servers of this machine. */
final class Certificate {

    private static final String PASSWORD = "for-tests-only";

    private Certificate() {
    }

    /** Generates a certificate and returns the TLS context of a server that presents it. */
    static SSLContext serverContext(Path keyStore) {
        try {
            Files.createDirectories(keyStore.getParent());
            List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair", "-alias", "redis", "-keyalg", "EC", "-dname", "CN=localhost", "-validity", "2",
                    "-storetype", "PKCS12", "-keystore", keyStore.toString(), "-storepass", PASSWORD);
            Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(keytool.getInputStream().readAllBytes());
            if (keytool.waitFor() != 0) {
                throw new AssertionError("keytool made no certificate: " + output);
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(keyStore)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (IOException | GeneralSecurityException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
