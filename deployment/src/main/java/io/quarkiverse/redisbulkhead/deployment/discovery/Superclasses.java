package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Objects;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

/** Finds the superclasses of a class. */
public final class Superclasses {

    private final IndexView index;

    Superclasses(IndexView index) {
        this.index = index;
    }

    /**
     * The class and its superclasses, as far as the index knows them.
     *
     * @param type where the walk starts
     * @return the class itself first, then the nearest superclass and so on, without {@link Object}
     */
    public Stream<ClassInfo> from(ClassInfo type) {
        return Stream.iterate(type, Objects::nonNull, this::superclass);
    }

    private ClassInfo superclass(ClassInfo type) {
        DotName name = type.superName();
        return name == null || Names.OBJECT.equals(name) ? null : index.getClassByName(name);
    }
}
