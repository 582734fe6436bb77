package io.quarkiverse.redisbulkhead.runtime;

import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkus.arc.Arc;

/**
 * A key resolver that the build found among the beans. It is looked up at its first use, because resolvers may need what is
 * there at run time only.
 */
final class ResolverBean implements Supplier<BulkheadKeyResolver> {

    private final String bean;
    private volatile BulkheadKeyResolver found;

    /**
     * Looks nothing up yet.
     *
     * @param bean the bean's identifier in the container
     */
    ResolverBean(String bean) {
        this.bean = bean;
    }

    // One at a time, because a dependent bean is made anew by each look-up.
    @Override
    public BulkheadKeyResolver get() {
        BulkheadKeyResolver known = found;
        return known != null ? known : lookUp();
    }

    private synchronized BulkheadKeyResolver lookUp() {
        if (found == null) {
            found = (BulkheadKeyResolver) Arc.container().instance(Arc.container().bean(bean)).get();
        }
        return found;
    }
}
