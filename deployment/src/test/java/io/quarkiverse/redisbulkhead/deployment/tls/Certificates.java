package io.quarkiverse.redisbulkhead.deployment.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys with self-signed certificates for localhost, created with the JDK's keytool. */
final class Certificates {

    static final String PASSWORD = "of-the-key-store";

    private final Path folder;

    /**
     * The test class is loaded twice, by JUnit and by the application; both must see the same keys.
     *
     * @param test whose keys
     */
    Certificates(String test) {
        folder = Path.of((String) System.getProperties().computeIfAbsent(test + ".certificates", key -> newFolder()));
    }

    private static String newFolder() {
        try {
            Path folder = Files.createTempDirectory(Path.of("target"), "certificates");
            for (String name : List.of("server", "client", "stranger")) {
                String keys = folder.resolve(name + ".p12").toString();
                String certificate = folder.resolve(name + ".pem").toString();
                keytool("-genkeypair", "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name,
                        "-ext", "san=dns:localhost,ip:127.0.0.1", "-keystore", keys);
                keytool("-exportcert", "-rfc", "-alias", name, "-file", certificate, "-keystore", keys);
                keytool("-importcert", "-noprompt", "-alias", name, "-file", certificate, "-keystore",
                        folder.resolve(name + "-trusted.p12").toString());
            }
            return folder.toAbsolutePath().toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void keytool(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        // It is short-lived: optimizing costs more than it saves.
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes());
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException(said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** The key of one, with its certificate. */
    String keys(String name) {
        return folder.resolve(name + ".p12").toString();
    }

    /** The certificate of one. */
    String certificate(String name) {
        return folder.resolve(name + ".pem").toString();
    }

    /** For a server that has one key, and trusts the certificate of a client. */
    SSLContext server(String name, String client) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store(name), PASSWORD.toCharArray());
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(store(client + "-trusted"));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore store(String name) throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), PASSWORD.toCharArray());
    }
}
