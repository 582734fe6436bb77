package io.quarkiverse.redisbulkhead.runtime;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.GuardedMethod;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.OnFull;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.guard.AsyncGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard.SkippingGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.UnfinishedResults;
import io.quarkus.arc.Arc;
import io.quarkus.arc.impl.LazyValue;

/** The guarded methods of the application. Each is made at its first call from what the build found. Thread-safe. */
@Singleton
public class GuardedMethods {

    private static final Logger LOG = Logger.getLogger(GuardedMethods.class);
    private static final String SCHEDULED_EXECUTION = "io.quarkus.scheduler.ScheduledExecution";

    /**
     * Tells the calls that a scheduler makes from other calls of the same methods. There is a bean where Quarkus Scheduler is.
     */
    public interface ScheduledRuns {

        /**
         * The run of a scheduled method that the current call is.
         *
         * @param method the binary name of the bean's class, {@code #} and the name of the method
         * @return takes the rejection when the run is skipped; null when the scheduler does not make this call
         */
        Consumer<BulkheadFullException> current(String method);
    }

    /**
     * Finds what is in a result that is a wrapper, such as a response; returns other results unchanged. There is a bean where
     * Quarkus REST is.
     */
    public interface ResultContent extends UnaryOperator<Object> {
    }

    // By signature.
    private final Map<String, MethodDeclaration> declared = new HashMap<>();
    private final Map<Class<?>, Map<Method, GuardedMethod>> byBean = new ConcurrentHashMap<>();
    private final BulkheadRegistry bulkheads;
    private final BulkheadRuntime runtime;
    // Null where no scheduler is.
    private final ScheduledRuns scheduledRuns;
    private final UnaryOperator<Object> content;

    /**
     * Makes no guard yet.
     *
     * @param declarations what the build found
     * @param bulkheads the bulkheads with their configuration
     * @param runtime what they run on
     * @param scheduledRuns knows the calls that a scheduler makes, where one is
     * @param content finds the entities of responses, where Quarkus REST is
     */
    @Inject
    public GuardedMethods(Declarations declarations, BulkheadRegistry bulkheads, BulkheadRuntime runtime,
            Instance<ScheduledRuns> scheduledRuns, Instance<ResultContent> content) {
        this.bulkheads = bulkheads;
        this.runtime = runtime;
        this.scheduledRuns = scheduledRuns.isResolvable() ? scheduledRuns.get() : null;
        this.content = content.isResolvable() ? content.get() : UnaryOperator.identity();
        for (MethodDeclaration method : declarations.methods()) {
            declared.put(signature(method.beanClass(), method.name(), method.parameterTypes()), method);
        }
    }

    private static String signature(String beanClass, String method, List<String> parameterTypes) {
        return beanClass + "#" + method + "(" + String.join(",", parameterTypes) + ")";
    }

    /**
     * The parameters that must have a value, or no call of the method gets a permit.
     *
     * @param beanClass the binary name of the bean's class
     * @param method the method's name
     * @param parameterTypes the binary names of its erased parameter types
     * @return for the position of each such parameter, from 0, what counts a call without a usable value and says what to
     *         throw; none when the method is not guarded, or its bulkheads have no keys or are disabled
     */
    public Map<Integer, Supplier<InvalidBulkheadKeyException>> requiredKeys(String beanClass, String method,
            List<String> parameterTypes) {
        MethodDeclaration found = declared.get(signature(beanClass, method, parameterTypes));
        Map<Integer, Supplier<InvalidBulkheadKeyException>> required = new HashMap<>();
        for (BulkheadUse use : found == null ? List.<BulkheadUse> of() : found.bulkheads()) {
            if (use.key() instanceof KeyOrigin.Parameter parameter && isEnabled(use)) {
                Semaphore semaphore = bulkheads.core(name(use));
                required.putIfAbsent(parameter.index(), () -> {
                    semaphore.refuse(found.label(), CallResult.INVALID_KEY);
                    return new InvalidBulkheadKeyException(name(use),
                            "The parameter " + parameter.name() + " is missing or malformed");
                });
            }
        }
        return required;
    }

    private String name(BulkheadUse use) {
        return bulkheads.definitions().nameOf(use);
    }

    private boolean isEnabled(BulkheadUse use) {
        return bulkheads.isEnabled(name(use));
    }

    private GuardedMethod guarded(MethodDeclaration method) {
        List<Function<Object[], Semaphore>> ofCall = new ArrayList<>();
        boolean same = true;
        for (BulkheadUse use : method.bulkheads()) {
            Semaphore semaphore = bulkheads.core(use);
            boolean fixed = !use.dependsOnArguments() || !isEnabled(use);
            ofCall.add(fixed ? arguments -> semaphore : byArguments(semaphore, use, method));
            same &= fixed;
        }
        List<Semaphore> always = same ? all(ofCall, null) : null;
        Guard guard = guard(method);
        return new GuardedMethod(method.label(), guard, same ? arguments -> always : arguments -> all(ofCall, arguments),
                runtime.executions(), skips(method, guard));
    }

    private static List<Semaphore> all(List<Function<Object[], Semaphore>> ofCall, Object[] arguments) {
        List<Semaphore> all = new ArrayList<>(ofCall.size());
        for (Function<Object[], Semaphore> one : ofCall) {
            all.add(one.apply(arguments));
        }
        return all;
    }

    private Supplier<SkippingGuard> skips(MethodDeclaration method, Guard guard) {
        Set<String> always = names(method, OnFull.SKIP::equals);
        SkippingGuard configured = always.isEmpty() ? null
                : new SkippingGuard(guard, always, null, full -> logSkipped(method, full));
        if (scheduledRuns == null || !mayBeScheduled(method)) {
            return configured == null ? null : () -> configured;
        }
        // Also where no full bulkhead skips a run: one that comes while the application stops is always skipped.
        Set<String> whenScheduled = names(method, onFull -> onFull != OnFull.REJECT);
        String scheduledMethod = method.beanClass() + "#" + method.name();
        return () -> {
            Consumer<BulkheadFullException> run = scheduledRuns.current(scheduledMethod);
            return run == null ? configured : new SkippingGuard(guard, whenScheduled, method.label(), full -> {
                logSkipped(method, full);
                run.accept(full);
            });
        };
    }

    // Of those of its bulkheads that do this when they are full; null where that depends on who calls.
    private Set<String> names(MethodDeclaration method, Predicate<OnFull> condition) {
        return method.bulkheads().stream().map(this::name)
                .filter(name -> condition.test(bulkheads.definitions().<OnFull> stated(name, "on-full").orElse(null)))
                .collect(Collectors.toSet());
    }

    private static void logSkipped(MethodDeclaration method, BulkheadFullException rejection) {
        LOG.debugf("Skipped %s: %s", method.label(), rejection.getMessage());
    }

    // Saves this check for the calls of other methods.
    private static boolean mayBeScheduled(MethodDeclaration method) {
        int declared = method.parameterTypes().size() - (method.returns() == ReturnKind.SUSPENDING ? 1 : 0);
        return declared == 0 || declared == 1 && method.parameterTypes().get(0).equals(SCHEDULED_EXECUTION);
    }

    private Guard guard(MethodDeclaration method) {
        if (method.bulkheads().stream().noneMatch(this::isEnabled)) {
            return Guard.open(method.bulkheads().stream().map(this::name).map(bulkheads::core)
                    .map(Semaphore::uncountedPermit).toList());
        }
        String first = name(method.bulkheads().get(0));
        UnfinishedResults results = new UnfinishedResults(method.label(), first, content);
        return switch (method.returns()) {
            case SYNCHRONOUS -> new SynchronousGuard(method.label(), first, results);
            case UNI -> asynchronous(first, results)::uni;
            case MULTI -> asynchronous(first, results)::multi;
            case STAGE -> asynchronous(first, results)::stage;
            case SUSPENDING -> Arc.container().instance(Guard.class).get().checking(results);
        };
    }

    // Not for other methods: it loads what only asynchronous ones need.
    private AsyncGuard asynchronous(String bulkhead, UnfinishedResults results) {
        return new AsyncGuard(bulkhead, runtime.continuations(), results);
    }

    /**
     * Finds the semaphore of a call by its arguments.
     *
     * @param semaphore that of the bulkhead
     * @param use the bulkhead among those of the method
     * @param method the guarded method
     */
    static Function<Object[], Semaphore> byArguments(Semaphore semaphore, BulkheadUse use, MethodDeclaration method) {
        Function<Object[], Semaphore> ofKey = use.key() instanceof KeyOrigin.Parameter parameter
                ? byParameter(semaphore, method.label(), parameter)
                : use.key() instanceof KeyOrigin.Resolver resolver ? byResolver(semaphore, method, resolver)
                        : arguments -> semaphore;
        return use.weightParameter() == BulkheadUse.NO_PARAMETER ? ofKey
                : weighedByParameter(ofKey, method.label(), use.weightParameter());
    }

    private static IllegalArgumentException refused(Semaphore semaphore, String method, CallResult result, String reason) {
        semaphore.refuse(method, result);
        return new IllegalArgumentException(method + ": " + reason);
    }

    private static Function<Object[], Semaphore> byParameter(Semaphore semaphore, String method,
            KeyOrigin.Parameter parameter) {
        return arguments -> {
            Object value = arguments[parameter.index()];
            String key = value instanceof Enum<?> constant ? constant.name() : value == null ? null : value.toString();
            if (key == null) {
                throw refused(semaphore, method, CallResult.INVALID_KEY, "the parameter " + parameter.name()
                        + " is null, but it is the key of bulkhead '" + semaphore.spec().name()
                        + "' (@BulkheadKey). Pass a value, or reject the call earlier");
            }
            return semaphore.forKey(key, OptionalInt.empty());
        };
    }

    private static Function<Object[], Semaphore> weighedByParameter(Function<Object[], Semaphore> semaphore, String method,
            int index) {
        return arguments -> {
            Semaphore ofCall = semaphore.apply(arguments);
            long weight = arguments[index] instanceof Number number ? number.longValue() : 0;
            if (weight < 1) {
                throw refused(ofCall, method, CallResult.INVALID_WEIGHT, "the weight of the call (@BulkheadWeight) must be at"
                        + " least 1, but is " + arguments[index] + ". It is how much the call takes of bulkhead '"
                        + ofCall.spec().name() + "'");
            }
            return ofCall.forCallWeighing(weight, method);
        };
    }

    private static Function<Object[], Semaphore> byResolver(Semaphore semaphore, MethodDeclaration method,
            KeyOrigin.Resolver resolver) {
        String bulkhead = semaphore.spec().name();
        // At the first call, because it may need what exists at run time only; once, because it may be a dependent bean.
        LazyValue<BulkheadKeyResolver> bean = new LazyValue<>(
                () -> (BulkheadKeyResolver) Arc.container().instance(Arc.container().bean(resolver.bean())).get());
        boolean suspends = method.returns() == ReturnKind.SUSPENDING;
        int declaredWeight = semaphore.spec().weight();
        // The limit of a key may be below that weight.
        Semaphore light = semaphore.weighing(1);
        return arguments -> {
            List<Object> all = Arrays.asList(arguments);
            // The continuation is not an argument that the function declares.
            ResolvedKey key = bean.get().resolve(
                    new BulkheadCall(bulkhead, method.label(), suspends ? all.subList(0, all.size() - 1) : all));
            if (key == null) {
                throw refused(semaphore, method.label(), CallResult.INVALID_KEY, resolver.type()
                        + " returned null instead of the key of bulkhead '" + bulkhead
                        + "'. Return ResolvedKey.of(key), or throw an exception to reject the call");
            }
            boolean asDeclared = key.permits().isEmpty() && key.weight().isEmpty();
            Semaphore ofKey = (asDeclared ? semaphore : light).forKey(key.key(), key.permits());
            int weight = key.weight().orElse(declaredWeight);
            return asDeclared || weight == 1 ? ofKey : ofKey.forCallWeighing(weight, method.label());
        };
    }

    /**
     * The guarded methods that were called so far on a class of beans. The container passes the same method objects to the
     * interceptor at each call.
     *
     * @param bean the class of the bean instance, which may be a subclass that the container generated
     * @return filled by {@link #find}
     */
    Map<Method, GuardedMethod> of(Class<?> bean) {
        return byBean.computeIfAbsent(bean, type -> new ConcurrentHashMap<>());
    }

    /**
     * Finds a method at its first call.
     *
     * @param bean the class of the bean instance
     * @param method the method that is called
     * @return the guarded method, remembered for later calls
     * @throws IllegalStateException when the build did not find the method, which is a defect of this extension
     */
    GuardedMethod find(Class<?> bean, Method method) {
        return of(bean).computeIfAbsent(method, any -> search(bean, method));
    }

    // Upwards, because the container puts a subclass of its own below the bean's class, and a spy of a test another one below that.
    private GuardedMethod search(Class<?> bean, Method method) {
        List<String> parameterTypes = Stream.of(method.getParameterTypes()).map(Class::getName).toList();
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            MethodDeclaration found = declared.get(signature(type.getName(), method.getName(), parameterTypes));
            if (found != null) {
                return guarded(found);
            }
        }
        throw new IllegalStateException("@RedisBulkhead: the build found no bulkhead for " + method + " of "
                + bean.getName() + ", though the container intercepts it. This is a bug in quarkus-redis-bulkhead. "
                + "Please report it");
    }
}
