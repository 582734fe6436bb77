package io.quarkiverse.redisbulkhead.deployment;

import java.util.concurrent.atomic.AtomicReference;

import jakarta.enterprise.inject.spi.DefinitionException;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.discovery.AiServices;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.Classes;
import io.quarkiverse.redisbulkhead.deployment.discovery.Discovery;
import io.quarkiverse.redisbulkhead.deployment.discovery.Names;
import io.quarkiverse.redisbulkhead.deployment.validation.Rule;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRecorder;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.BeanArchiveIndexBuildItem;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.SyntheticBeansRuntimeInitBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.builder.item.SimpleBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.ApplicationArchivesBuildItem;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.ShutdownListenerBuildItem;
import io.quarkus.runtime.RuntimeValue;

/** Binds the interceptor, discovers and validates what it guards, and records it for run time. */
class GuardProcessor {

    private static final Logger LOG = Logger.getLogger(GuardProcessor.class);

    /**
     * Adds the interceptor binding to whatever carries {@link RedisBulkhead} and can be intercepted, and to the methods that
     * implement those of AI services. The rest is left to the rules, because the container would stop at the first place that
     * it cannot intercept. Runs last, because other extensions and the application may add the annotation, too.
     */
    @BuildStep
    AnnotationsTransformerBuildItem bind(CombinedIndexBuildItem application) {
        AiServices aiServices = new AiServices(new Classes(application.getIndex()));
        return new AnnotationsTransformerBuildItem(AnnotationTransformation.builder().priority(Integer.MIN_VALUE)
                .when(context -> (context.hasAnnotation(annotation -> Names.REDIS_BULKHEADS.contains(annotation.name()))
                        || context.declaration().kind() == Kind.METHOD
                                && aiServices.isGuarded(context.declaration().asMethod()))
                        && Classes.canBeIntercepted(context.declaration()))
                .transform(context -> context.add(RedisBulkheadBinding.class)));
    }

    /**
     * The slot in which the bean of the declarations looks for them. Beans are defined before the container knows which methods
     * it intercepts, so the declarations come later than their bean.
     */
    static final class DeclarationsSlotBuildItem extends SimpleBuildItem {

        private final RuntimeValue<AtomicReference<Declarations>> slot;

        private DeclarationsSlotBuildItem(RuntimeValue<AtomicReference<Declarations>> slot) {
            this.slot = slot;
        }
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    DeclarationsSlotBuildItem declarationsBean(RedisBulkheadRecorder recorder, BuildProducer<SyntheticBeanBuildItem> beans) {
        DeclarationsSlotBuildItem slot = new DeclarationsSlotBuildItem(recorder.slot());
        beans.produce(SyntheticBeanBuildItem.configure(Declarations.class)
                .scope(Singleton.class)
                .unremovable()
                .supplier(recorder.declarations(slot.slot))
                .done());
        return slot;
    }

    // Producing (no) errors makes this run before the container starts, and so before the bean is requested.
    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    void discover(RedisBulkheadRecorder recorder, DeclarationsSlotBuildItem slot, ValidationPhaseBuildItem validation,
            BeanArchiveIndexBuildItem beanArchives, CombinedIndexBuildItem application, ApplicationArchivesBuildItem modules,
            RedisBulkheadBuildTimeConfig fixed,
            Capabilities capabilities, BuildProducer<ValidationErrorBuildItem> failures) {
        BulkheadUsage usage = new Discovery(validation.getContext(), beanArchives.getIndex(),
                beanArchives.getGeneratedClassNames(), application.getIndex(), modules.getRootArchive().getIndex()).usage();
        ValidationErrors errors = new ValidationErrors();
        Rule.all(ConfigProvider.getConfig(), fixed, capabilities.isPresent(Capability.VERTX_HTTP),
                OptionalLibrariesProcessor.hasCoroutines())
                .forEach(rule -> rule.check(usage, errors));
        errors.warnings().forEach(LOG::warn);
        if (errors.all().isEmpty()) {
            recorder.found(slot.slot, usage.declarations());
        } else {
            failures.produce(new ValidationErrorBuildItem(new DefinitionException(errors.report())));
        }
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    ShutdownListenerBuildItem waitForExecutions(RedisBulkheadRecorder recorder) {
        return new ShutdownListenerBuildItem(recorder.shutdownListener());
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(SyntheticBeansRuntimeInitBuildItem.class)
    void start(RedisBulkheadRecorder recorder, BeanContainerBuildItem beans) {
        recorder.start(beans.getValue());
    }
}
