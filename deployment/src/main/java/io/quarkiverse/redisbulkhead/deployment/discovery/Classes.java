package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ClassInfo.NestingType;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.jandex.TypeVariable;

import io.quarkus.deployment.util.JandexUtil;

/**
 * How classes and methods are related (superclasses, the interfaces behind generated beans, type variables, overriding), and
 * what their forms allow.
 *
 * @param index the classes that are known
 */
public record Classes(IndexView index) {

    /**
     * What Quarkus appends to the name of an interface when it generates the bean of a REST client, or of an AI service. The
     * methods of these beans carry no bulkhead annotations: those are on the interface. The suffixes are implementation details
     * of both extensions, which the tests of these beans depend on.
     */
    private static final List<String> SUFFIXES_OF_GENERATED_BEANS = List.of("$$CDIWrapper", "$$QuarkusImpl");

    /**
     * The class and its superclasses, as far as the index knows them.
     *
     * @param type where the walk starts
     * @return the class itself first, then the nearest superclass and so on, without {@link Object}
     */
    public Stream<ClassInfo> superclasses(ClassInfo type) {
        return Stream.iterate(type, Objects::nonNull,
                each -> each.superName() == null || DotName.OBJECT_NAME.equals(each.superName())
                        ? null
                        : index.getClassByName(each.superName()));
    }

    /**
     * The interface for which a bean class was generated.
     *
     * @param bean a bean class, generated or not
     * @return empty for a class that has no such suffix or does not implement that interface, and where the interface is not
     *         indexed
     */
    public Optional<ClassInfo> interfaceOf(ClassInfo bean) {
        String name = bean.name().toString();
        return SUFFIXES_OF_GENERATED_BEANS.stream().filter(name::endsWith)
                .map(suffix -> DotName.createSimple(name.substring(0, name.length() - suffix.length())))
                .filter(bean.interfaceNames()::contains).map(index::getClassByName).filter(Objects::nonNull).findFirst();
    }

    /**
     * The interface and its super-interfaces.
     *
     * @param type the interface
     * @return in the order in which they are searched for a method
     */
    public Stream<ClassInfo> interfaces(ClassInfo type) {
        return Stream.concat(Stream.of(type), type.interfaceNames().stream().map(index::getClassByName).filter(Objects::nonNull)
                .flatMap(this::interfaces));
    }

    /** The method of an interface that a method of its generated bean implements; empty for one that only the bean has. */
    Optional<MethodInfo> declared(ClassInfo type, MethodInfo method) {
        // The generated class has no generics.
        List<String> parameters = erasedParameters(method);
        return interfaces(type).flatMap(each -> each.methods().stream())
                .filter(each -> each.name().equals(method.name()) && erasedParameters(each).equals(parameters))
                .findFirst();
    }

    /**
     * Resolves a type variable of a class with the type that a subclass gives it, where possible.
     *
     * @param bean the class that the method is called on, or the interface
     * @param method the method, whose class may be a supertype of that
     * @param type the type of the method's return or of a parameter
     */
    Type resolved(ClassInfo bean, MethodInfo method, Type type) {
        if (type.kind() != Type.Kind.TYPE_VARIABLE || positionOf(type, method.typeParameters()) >= 0) {
            return type;
        }
        int position = positionOf(type, method.declaringClass().typeParameters());
        try {
            List<Type> arguments = JandexUtil.resolveTypeParameters(bean.name(), method.declaringClass().name(), index);
            return position >= 0 && position < arguments.size() ? arguments.get(position) : type;
        } catch (IllegalArgumentException e) {
            return type;
        }
    }

    /**
     * The methods of a class and its superclasses that stand in place of an inherited one, with its type variables resolved.
     *
     * @param type the class
     * @param inherited the method of a supertype
     * @return the nearest first; none if only the method itself is there and has type variables
     */
    public Stream<MethodInfo> overriding(ClassInfo type, MethodInfo inherited) {
        List<String> parameters = inherited.parameterTypes().stream()
                .map(parameter -> resolved(type, inherited, parameter).name().toString()).toList();
        return superclasses(type).flatMap(each -> each.methods().stream()).filter(
                method -> method.name().equals(inherited.name()) && erasedParameters(method).equals(parameters));
    }

    private static int positionOf(Type type, List<TypeVariable> variables) {
        return variables.stream().map(TypeVariable::identifier).toList().indexOf(type.asTypeVariable().identifier());
    }

    // ---- Whether classes can be beans, and methods be guarded

    static boolean canBeBean(ClassInfo type) {
        return !type.isInterface() && !type.isAbstract() && !type.isEnum() && isTopLevelOrStatic(type);
    }

    /**
     * Whether the class needs no instance of another one around it.
     *
     * @param type the class
     * @return false for inner, local and anonymous classes
     */
    public static boolean isTopLevelOrStatic(ClassInfo type) {
        return type.nestingType() == NestingType.TOP_LEVEL
                || type.nestingType() == NestingType.INNER && Modifier.isStatic(type.flags());
    }

    /**
     * Whether the container can intercept a class or method.
     *
     * @param declaration the class or method
     * @return false where it would fail, and where nothing can be a bean
     */
    public static boolean canBeIntercepted(Declaration declaration) {
        if (declaration.kind() == Kind.CLASS) {
            return !declaration.asClass().isInterface() && isTopLevelOrStatic(declaration.asClass());
        }
        MethodInfo method = declaration.asMethod();
        return canBeOverridden(method) && !Modifier.isAbstract(method.flags()) && isTopLevelOrStatic(method.declaringClass());
    }

    /**
     * Whether a subclass can override the method, which is how the container intercepts it.
     *
     * @param method the method
     * @return true unless it is static, private or final
     */
    public static boolean canBeOverridden(MethodInfo method) {
        return (method.flags() & (Modifier.STATIC | Modifier.PRIVATE | Modifier.FINAL)) == 0;
    }

    /**
     * Whether a method of a subclass stands in place of an inherited one, as far as both of them show it. Bridges count: they
     * are how a subclass overrides a generic method.
     *
     * @param method the method of the subclass
     * @param inherited the method of a superclass or interface
     * @return false when another package cannot see the inherited one, although it has the same signature
     */
    public static boolean overrides(MethodInfo method, MethodInfo inherited) {
        return method.name().equals(inherited.name())
                && erasedParameters(method).equals(erasedParameters(inherited))
                && canBeOverridden(inherited)
                && ((inherited.flags() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0 || Objects.equals(
                        method.declaringClass().name().packagePrefix(), inherited.declaringClass().name().packagePrefix()));
    }

    /**
     * The types of the parameters of a method, without generics.
     *
     * @param method the method
     * @return their names, in order, as {@link Class#getName()} writes them
     */
    public static List<String> erasedParameters(MethodInfo method) {
        return method.parameterTypes().stream().map(type -> type.name().toString()).toList();
    }
}
