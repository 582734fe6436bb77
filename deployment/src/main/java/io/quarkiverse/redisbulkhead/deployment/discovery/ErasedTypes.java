package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;

import org.jboss.jandex.ArrayType;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

/** Names types as {@link Class#getName()} does at run time, without generics. */
public final class ErasedTypes {

    private ErasedTypes() {
    }

    /**
     * The types of the parameters of a method.
     *
     * @param method the method
     * @return their names, in order
     */
    public static List<String> parametersOf(MethodInfo method) {
        return method.parameterTypes().stream().map(ErasedTypes::name).toList();
    }

    private static String name(Type type) {
        if (type.kind() != Type.Kind.ARRAY) {
            return type.name().toString();
        }
        ArrayType array = type.asArrayType();
        Type constituent = array.constituent();
        String element = constituent.kind() == Type.Kind.PRIMITIVE ? constituent.descriptor(null)
                : "L" + constituent.name() + ";";
        return "[".repeat(array.deepDimensions()) + element;
    }
}
