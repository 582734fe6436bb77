package io.quarkiverse.redisbulkhead;

/**
 * Determines the key of a call, for example from the security identity, a header, or several parameters. Implement it as a CDI
 * bean of any scope, and name it in the annotation:
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
     * Determines the key of a call. It runs on the thread and with the CDI contexts of the caller, once for each permit: for
     * methods that return a {@code Uni} or {@code Multi}, at each subscription. It must not block if that thread is an event
     * loop. If it throws an exception, the caller gets that exception, and no permit is taken.
     *
     * @param call the call
     * @return the key, with its own limit or the weight of the call if it has them; {@code null} is refused with
     *         {@link IllegalArgumentException}
     */
    ResolvedKey resolve(BulkheadCall call);
}
