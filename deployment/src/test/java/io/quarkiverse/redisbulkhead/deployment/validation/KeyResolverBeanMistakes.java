package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Typed;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Named;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkus.arc.profile.IfBuildProfile;
import io.smallrye.common.annotation.Identifier;

final class KeyResolverBeanMistakes {

    private static final String TAKEN_OUT = "is not a bean. It was excluded from the application by @Vetoed, a condition such"
            + " as @IfBuildProfile, or quarkus.arc.exclude-types, or its module has no Jandex index. Name another class, or"
            + " include it";
    private static final String HIDDEN_BY_BEAN = "matches no bean without qualifiers. Beans with qualifiers, or with a @Typed"
            + " that omits it: ";
    private static final String SHOW_IT = ". Remove the qualifiers, or add @Default; or add it to @Typed";
    private static final String SEVERAL_WAY_OUT = ". Name a class with exactly one bean, or make one of them an "
            + "@Alternative with a @Priority";

    static final Mistakes ALL = new Mistakes(KeyResolverBeanMistakes.class,
            new Class<?>[] { Methods.class, Whole.class, Key.class, Plain.class, Abstract.class, Port.class, Inner.class,
                    Constructors.class, Parent.class, Child.class, Produced.class, Producers.class, Qualified.class,
                    NamedOnly.class, Hidden.class, OtherProfile.class, VetoedKey.class, Stub.class, Stubbed.class },
            because("Abstract", "is not a bean. It is abstract, and no bean inherits from it"),
            because("Constructors", "is not a bean. It has several constructors: mark one with @Inject, or add one without"
                    + " parameters"),
            because("Hidden", HIDDEN_BY_BEAN + "Hidden" + SHOW_IT),
            because("Inner", "is not a bean. An inner, local or anonymous class cannot be a bean: make it static or a top-level"
                    + " class, and add a scope such as @ApplicationScoped"),
            because("OtherProfile", TAKEN_OUT),
            because("Parent", "matches several beans: Child, Parent" + SEVERAL_WAY_OUT),
            because("Plain", "is not a bean. Add a scope such as @ApplicationScoped"),
            because("Port", "is not a bean. It is an interface, and no bean implements it"),
            because("Produced", "matches several beans: Producers#field, Producers#method" + SEVERAL_WAY_OUT),
            because("Qualified", HIDDEN_BY_BEAN + "Qualified" + SHOW_IT),
            because("VetoedKey", TAKEN_OUT),
            "RBH021 Whole: @RedisBulkhead(name = \"resolved-class\"): keyResolver = Plain.class is not a bean. Add a scope "
                    + "such as @ApplicationScoped");

    private static String because(String type, String reason) {
        return "RBH021 Methods#resolved: @RedisBulkhead(name = \"by " + type + "\"): keyResolver = " + type + ".class "
                + reason;
    }

    @Singleton
    static class Methods {
        // A name alone leaves a bean its default qualifier.
        @RedisBulkhead(name = "by Abstract", permits = 1, keyResolver = Abstract.class)
        // As without a resolver.
        @RedisBulkhead(name = "by BulkheadKeyResolver", permits = 1, keyResolver = BulkheadKeyResolver.class)
        @RedisBulkhead(name = "by Child", permits = 1, keyResolver = Child.class)
        @RedisBulkhead(name = "by Constructors", permits = 1, keyResolver = Constructors.class)
        @RedisBulkhead(name = "by Hidden", permits = 1, keyResolver = Hidden.class)
        @RedisBulkhead(name = "by Inner", permits = 1, keyResolver = Inner.class)
        @RedisBulkhead(name = "by NamedOnly", permits = 1, keyResolver = NamedOnly.class)
        @RedisBulkhead(name = "by OtherProfile", permits = 1, keyResolver = OtherProfile.class)
        @RedisBulkhead(name = "by Parent", permits = 1, keyResolver = Parent.class)
        @RedisBulkhead(name = "by Plain", permits = 1, keyResolver = Plain.class)
        @RedisBulkhead(name = "by Port", permits = 1, keyResolver = Port.class)
        @RedisBulkhead(name = "by Produced", permits = 1, keyResolver = Produced.class)
        @RedisBulkhead(name = "by Qualified", permits = 1, keyResolver = Qualified.class)
        @RedisBulkhead(name = "by Stubbed", permits = 1, keyResolver = Stubbed.class)
        @RedisBulkhead(name = "by VetoedKey", permits = 1, keyResolver = VetoedKey.class)
        void resolved() {
        }
    }

    @Singleton
    @RedisBulkhead(name = "resolved-class", permits = 1, keyResolver = Plain.class)
    static class Whole {
        void covered() {
        }
    }

    abstract static class Key implements BulkheadKeyResolver {
        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return null;
        }
    }

    static class Plain extends Key {
    }

    abstract static class Abstract extends Key {
    }

    interface Port extends BulkheadKeyResolver {
    }

    class Inner extends Key {
    }

    @Singleton
    static class Constructors extends Key {
        Constructors(Parent parent) {
        }

        Constructors(Child child) {
        }
    }

    @Singleton
    static class Parent extends Key {
    }

    @Singleton
    static class Child extends Parent {
    }

    static class Produced extends Key {
    }

    @Singleton
    static class Producers {
        @Produces
        @Singleton
        Produced field = new Produced();

        @Produces
        @Singleton
        Produced method() {
            return new Produced();
        }
    }

    @Singleton
    @Identifier("special")
    static class Qualified extends Key {
    }

    @Singleton
    @Named("special")
    static class NamedOnly extends Key {
    }

    @Singleton
    @Typed(BulkheadKeyResolver.class)
    static class Hidden extends Key {
    }

    @Singleton
    @IfBuildProfile("elsewhere")
    static class OtherProfile extends Key {
    }

    @Vetoed
    @Singleton
    static class VetoedKey extends Key {
    }

    @Singleton
    static class Stubbed extends Key {
    }

    @Singleton
    @Alternative
    @Priority(1)
    static class Stub extends Stubbed {
    }
}
