package io.quarkiverse.redisbulkhead.deployment;

import java.util.ArrayList;
import java.util.List;

import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.redisbulkhead.deployment.discovery.BindingTransformation;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.validation.Mistake;
import io.quarkiverse.redisbulkhead.deployment.validation.MistakeReport;
import io.quarkiverse.redisbulkhead.deployment.validation.Rule;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRecorder;
import io.quarkiverse.redisbulkhead.runtime.definition.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.OwnProperties;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.BeanArchiveIndexBuildItem;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.SyntheticBeansRuntimeInitBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.RunTimeConfigurationDefaultBuildItem;
import io.quarkus.deployment.builditem.ShutdownListenerBuildItem;

/** Binds the interceptor, finds out what it guards, checks that, and carries it into the application. */
class GuardProcessor {

    @BuildStep
    AnnotationsTransformerBuildItem bind() {
        return new AnnotationsTransformerBuildItem(new BindingTransformation());
    }

    @BuildStep
    BulkheadUsageBuildItem discover(ValidationPhaseBuildItem validation, BeanArchiveIndexBuildItem beanArchives,
            CombinedIndexBuildItem application) {
        return new BulkheadUsageBuildItem(BulkheadUsage.of(validation.getContext(), beanArchives.getIndex(),
                beanArchives.getGeneratedClassNames(), application.getIndex()));
    }

    // An environment variable is taken for a property only where that is known by its exact name.
    @BuildStep
    void nameProperties(BulkheadUsageBuildItem found, BuildProducer<RunTimeConfigurationDefaultBuildItem> defaults) {
        found.usage().declarations().stream().filter(declaration -> !declaration.hasNameByExpression())
                .map(BulkheadDeclaration::name).distinct()
                .flatMap(name -> OwnProperties.OF_ONE_BULKHEAD.stream().map(member -> PropertyNames.of(name, member)))
                .forEach(property -> defaults.produce(new RunTimeConfigurationDefaultBuildItem(property, "")));
    }

    @BuildStep
    MistakesBuildItem validate(BulkheadUsageBuildItem found, RedisBulkheadBuildTimeConfig fixed, Capabilities capabilities) {
        List<Mistake> mistakes = new ArrayList<>();
        Rule.all(ConfigProvider.getConfig(), fixed, capabilities.isPresent(Capability.VERTX_HTTP))
                .forEach(rule -> rule.check(found.usage(), mistakes::add));
        return new MistakesBuildItem(mistakes);
    }

    @BuildStep
    void report(MistakesBuildItem found, BuildProducer<ValidationErrorBuildItem> errors) {
        if (!found.mistakes().isEmpty()) {
            errors.produce(new ValidationErrorBuildItem(MistakeReport.of(found.mistakes())));
        }
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    DeclarationsSlotBuildItem declarationsBean(RedisBulkheadRecorder recorder, BuildProducer<SyntheticBeanBuildItem> beans) {
        DeclarationsSlotBuildItem slot = new DeclarationsSlotBuildItem(recorder.slot());
        beans.produce(SyntheticBeanBuildItem.configure(Declarations.class)
                .scope(Singleton.class)
                .unremovable()
                .supplier(recorder.declarations(slot.slot()))
                .done());
        return slot;
    }

    // Producing errors, though none, makes this run before the container starts, and so before anything asks for the bean.
    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    void record(RedisBulkheadRecorder recorder, DeclarationsSlotBuildItem slot, BulkheadUsageBuildItem found,
            MistakesBuildItem mistakes, BuildProducer<ValidationErrorBuildItem> errors) {
        if (mistakes.mistakes().isEmpty()) {
            recorder.found(slot.slot(), DeclarationsFactory.of(found.usage()));
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
