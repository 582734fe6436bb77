package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.objectweb.asm.ClassReader;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;

/** Finds the classes that can define bulkheads in code, and the texts in them that may be names. */
final class CodeConstants {

    private static final DotName SPEC = DotName.createSimple(SemaphoreSpec.class);
    private static final List<String> OWN_PACKAGES = List.of("io.quarkiverse.redisbulkhead.runtime.",
            "io.quarkiverse.redisbulkhead.test.");
    // The tag of a text in a class file (JVM specification, 4.4).
    private static final int TEXT = 8;
    // A part that is shorter would match almost any name.
    private static final int SHORTEST_PART = 2;

    private CodeConstants() {
    }

    static DefinedInCode in(IndexView application) {
        Collection<ClassInfo> users = application.getKnownUsers(SPEC).stream()
                .filter(user -> OWN_PACKAGES.stream().noneMatch(user.name().toString()::startsWith)).toList();
        Set<String> texts = new TreeSet<>();
        users.forEach(user -> addTexts(user.name(), texts));
        return users.isEmpty() ? DefinedInCode.NONE : new DefinedInCode(true, List.copyOf(texts));
    }

    private static void addTexts(DotName type, Set<String> texts) {
        String file = type.toString().replace('.', '/') + ".class";
        try (InputStream bytes = Thread.currentThread().getContextClassLoader().getResourceAsStream(file)) {
            if (bytes != null) {
                addTexts(new ClassReader(bytes), texts);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Reading " + file + " failed", e);
        }
    }

    private static void addTexts(ClassReader type, Set<String> texts) {
        char[] buffer = new char[type.getMaxStringLength()];
        for (int i = 1; i < type.getItemCount(); i++) {
            int offset = type.getItem(i);
            if (offset > 0 && type.readByte(offset - 1) == TEXT) {
                String text = type.readUTF8(offset, buffer);
                if (mayBeName(text)) {
                    texts.add(text);
                }
            }
        }
    }

    private static boolean mayBeName(String text) {
        return text.length() <= SemaphoreSpec.MAX_NAME_LENGTH
                && text.chars().noneMatch(letter -> letter != Declarations.OPEN && Character.isISOControl(letter))
                && text.chars().filter(letter -> letter != Declarations.OPEN).count() >= SHORTEST_PART;
    }
}
