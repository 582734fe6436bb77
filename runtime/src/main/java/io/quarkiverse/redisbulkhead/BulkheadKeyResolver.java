package io.quarkiverse.redisbulkhead;

/**
 * Tells the key of a call from what the call brings along: the security identity, a header, several parameters. A CDI bean
 * of any scope, named in the annotation:
 *
 * <pre>
 * {@literal @}RedisBulkhead(name = "orders", permits = 2, keyResolver = TenantKey.class)
 * Receipt order(Cart cart) { ... }
 *
 * {@literal @}ApplicationScoped
 * class TenantKey implements BulkheadKeyResolver {
 *
 *     {@literal @}Inject
 *     SecurityIdentity identity;
 *
 *     public ResolvedKey resolve(BulkheadCall call) {
 *         Tenant tenant = identity.getAttribute("tenant");
 *         return ResolvedKey.of(tenant.id()).withPermits(tenant.pays() ? 20 : 2);
 *     }
 * }
 * </pre>
 *
 * A bean that is {@code @Dependent} is created once for each guarded method.
 */
@FunctionalInterface
public interface BulkheadKeyResolver {

    /**
     * Tells the key of a call. It is asked on the thread and with the CDI contexts of the caller, once for each permit: for
     * methods that return a {@code Uni} or {@code Multi}, at each subscription. It must not block where that thread is an event
     * loop. What it throws, the caller gets in place of the method's outcome, and no permit is taken.
     *
     * @param call the call
     * @return the key, with a limit of its own if it has one; {@code null} is refused with {@link IllegalArgumentException}
     */
    ResolvedKey resolve(BulkheadCall call);
}
