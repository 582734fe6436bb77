package io.quarkiverse.redisbulkhead.docs;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What code outside can use of a package: a line for each type, and one for each of its members. */
final class PublicApi {

    private PublicApi() {
    }

    /**
     * Lists a package.
     *
     * @param type one of its types
     */
    static Stream<String> besides(Class<?> type) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String name : names(type)) {
            Class<?> found = load(name, type.getClassLoader());
            if (isOpen(found)) {
                lines.add(declaration(found));
                members(found).map(line -> "    " + line).sorted().forEach(lines::add);
            }
        }
        return lines.stream();
    }

    private static List<String> names(Class<?> type) throws IOException {
        Path place;
        try {
            place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
        if (Files.isDirectory(place)) {
            return names(place, type.getPackageName());
        }
        try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + place.toUri()), Map.of())) {
            return names(jar.getPath("/"), type.getPackageName());
        }
    }

    private static List<String> names(Path root, String packageName) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(packageName.replace('.', '/')))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                    .map(file -> packageName + "." + file.substring(0, file.length() - ".class".length())).sorted().toList();
        }
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isOpen(Class<?> type) {
        return isOpen(type.getModifiers()) && (type.getEnclosingClass() == null || isOpen(type.getEnclosingClass()));
    }

    private static boolean isOpen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String declaration(Class<?> type) {
        Stream<String> parents = Stream.concat(Stream.ofNullable(type.getGenericSuperclass()),
                Arrays.stream(type.getGenericInterfaces())).map(Type::getTypeName)
                .filter(parent -> !parent.equals("java.lang.Object"));
        return type.toGenericString() + parents.collect(Collectors.joining(", ", " : ", "")).replaceFirst(" : $", "");
    }

    private static Stream<String> members(Class<?> type) {
        Stream<String> fields = open(type.getDeclaredFields()).map(Field::toGenericString);
        Stream<String> constructors = open(type.getDeclaredConstructors()).map(Constructor::toGenericString);
        Stream<String> methods = open(type.getDeclaredMethods()).map(PublicApi::method);
        return Stream.of(fields, constructors, methods).flatMap(lines -> lines);
    }

    private static <T extends Member> Stream<T> open(T[] members) {
        return Arrays.stream(members).filter(member -> isOpen(member.getModifiers()) && !member.isSynthetic());
    }

    private static String method(Method method) {
        Object value = method.getDefaultValue();
        if (value == null) {
            return method.toGenericString();
        }
        String text = value.getClass().isArray() ? Arrays.toString((Object[]) value) : '"' + value.toString() + '"';
        return method.toGenericString() + " default " + text;
    }
}
