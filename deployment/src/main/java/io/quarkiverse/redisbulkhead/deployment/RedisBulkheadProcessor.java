package io.quarkiverse.redisbulkhead.deployment;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRuntime;
import io.quarkiverse.redisbulkhead.runtime.GuardedMethods;
import io.quarkiverse.redisbulkhead.runtime.PermitView.CurrentPermitBean;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;
import io.quarkiverse.redisbulkhead.runtime.RedisStoreFactory;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.dev.RedisBulkheadJsonRpcService;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import io.quarkus.redis.deployment.client.RequestedRedisClientBuildItem;

/** Registers the parts of the extension that every application needs. */
public class RedisBulkheadProcessor {

    /** The name of the extension among the installed features. */
    public static final String FEATURE = "redis-bulkhead";

    private static final String SCRIPTS = "io/quarkiverse/redisbulkhead/runtime/store/redis/*.lua";

    private static final DotName KEY_RESOLVER = DotName.createSimple(BulkheadKeyResolver.class);

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem(FEATURE);
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder()
                .addBeanClasses(RedisBulkheadBinding.class, RedisBulkheadInterceptor.class, BulkheadRegistry.class,
                        BulkheadRuntime.class, CurrentPermitBean.class, GuardedMethods.class, RedisStoreFactory.class,
                        RedisStoreFactory.ClientOptions.class)
                .setUnremovable()
                .build();
    }

    // By the types of its class, not by the bean types: @Typed may hide this one.
    @BuildStep
    UnremovableBeanBuildItem keyResolvers() {
        return new UnremovableBeanBuildItem(
                bean -> bean.getUnrestrictedTypes().stream().anyMatch(type -> KEY_RESOLVER.equals(type.name())));
    }

    @BuildStep
    void redisClient(RedisBulkheadBuildTimeConfig config, BuildProducer<RequestedRedisClientBuildItem> clients) {
        if (config.store().needsRedis()) {
            clients.produce(new RequestedRedisClientBuildItem(config.redisClient()));
        }
    }

    @BuildStep
    NativeImageResourcePatternsBuildItem scripts() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlob(SCRIPTS).build();
    }

    // ---- The card in the Dev UI, and the pages behind it

    @BuildStep(onlyIf = IsLocalDevelopment.class)
    CardPageBuildItem card() {
        CardPageBuildItem card = new CardPageBuildItem();
        // The Dev UI adds the folder of the extension to relative paths.
        card.setLogo("logo-dark.svg", "logo-light.svg");
        card.addPage(Page.webComponentPageBuilder()
                .title("Holders")
                .icon("font-awesome-solid:users-line")
                .componentLink("qwc-redis-bulkhead-holders.js"));
        card.addPage(Page.webComponentPageBuilder()
                .title("Declared")
                .icon("font-awesome-solid:file-signature")
                .dynamicLabelJsonRPCMethodName("declaredCount")
                .componentLink("qwc-redis-bulkhead-declared.js"));
        return card;
    }

    @BuildStep(onlyIf = IsLocalDevelopment.class)
    JsonRPCProvidersBuildItem service() {
        return new JsonRPCProvidersBuildItem(RedisBulkheadJsonRpcService.class);
    }
}
