package io.quarkiverse.redisbulkhead.deployment.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
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
                Path keys = folder.resolve(name + ".p12");
                keytool("-genkeypair", "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1", "-keystore", keys.toString(), "-storetype", "PKCS12");
                Certificate certificate = load(keys).getCertificate(name);
                Files.writeString(folder.resolve(name + ".pem"), "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder().encodeToString(certificate.getEncoded()) + "\n-----END CERTIFICATE-----\n");
            }
            KeyStore clients = KeyStore.getInstance("PKCS12");
            clients.load(null, null);
            clients.setCertificateEntry("client", load(folder.resolve("client.p12")).getCertificate("client"));
            try (OutputStream out = Files.newOutputStream(folder.resolve("clients.p12"))) {
                clients.store(out, PASSWORD.toCharArray());
            }
            return folder.toAbsolutePath().toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void keytool(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        // It is short-lived: optimizing costs more than it saves.
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", PASSWORD));
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

    /** For a server that has that key, and trusts the certificate of the client. */
    SSLContext server(String name) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store(name), PASSWORD.toCharArray());
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(store("clients"));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore store(String name) throws GeneralSecurityException {
        try {
            return load(folder.resolve(name + ".p12"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            return store;
        }
    }
}
