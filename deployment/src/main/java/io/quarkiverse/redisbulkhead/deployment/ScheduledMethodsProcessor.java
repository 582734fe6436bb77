package io.quarkiverse.redisbulkhead.deployment;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.AnnotationTransformation.TransformationContext;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.deployment.discovery.Classes;
import io.quarkiverse.redisbulkhead.deployment.discovery.Names;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;

/** Marks calls by the scheduler for guarded methods, if Quarkus Scheduler is present. */
class ScheduledMethodsProcessor {

    // By name: they need Quarkus Scheduler, which the application may lack.
    private static final String PACKAGE = "io.quarkiverse.redisbulkhead.runtime.scheduler.";
    private static final DotName TRACKED_RUNS = DotName.createSimple(PACKAGE + "TrackedRuns");
    private static final DotName TRACKS_RUNS = DotName.createSimple(TRACKED_RUNS + "$Tracked");

    private static final DotName PREDICATE = DotName.createSimple("io.quarkus.scheduler.Scheduled$SkipPredicate");
    private static final DotName NEVER = DotName.createSimple("io.quarkus.scheduler.Scheduled$Never");
    private static final String SKIP_EXECUTION_IF = "skipExecutionIf";

    @BuildStep
    void trackRuns(Capabilities capabilities, CombinedIndexBuildItem application, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<AnnotationsTransformerBuildItem> transformers) {
        if (capabilities.isPresent(Capability.SCHEDULER)) {
            Set<DotName> inheriting = application.getIndex().getAllKnownImplementations(PREDICATE).stream().map(ClassInfo::name)
                    .collect(Collectors.toSet());
            beans.produce(AdditionalBeanBuildItem.builder()
                    .addBeanClasses(TRACKED_RUNS.toString(), TRACKS_RUNS.toString(), TRACKED_RUNS + "$Tracking")
                    .setUnremovable().build());
            transformers.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forMethods()
                    .whenAnyMatch(annotation -> annotation.name().equals(Names.SCHEDULED)
                            || annotation.name().equals(Names.SCHEDULES))
                    .transform(ScheduledMethodsProcessor::trackRunsOfMethod)));
            transformers.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forClasses()
                    .whenClass(type -> (inheriting.contains(type.name()) || type.interfaceNames().contains(PREDICATE))
                            && canBeIntercepted(type))
                    .transform(context -> context.add(AnnotationInstance.builder(TRACKS_RUNS).build()))));
        }
    }

    private static void trackRunsOfMethod(TransformationContext context) {
        if (canBeIntercepted(context.declaration().asMethod())) {
            context.add(AnnotationInstance.builder(TRACKS_RUNS).build());
        }
        for (AnnotationInstance annotation : List.copyOf(context.annotations())) {
            if (annotation.name().equals(Names.SCHEDULED)) {
                replace(context, annotation, tracked(annotation));
            } else if (annotation.name().equals(Names.SCHEDULES)) {
                AnnotationValue[] schedules = Stream.of(annotation.value().asNestedArray())
                        .map(schedule -> AnnotationValue.createNestedAnnotationValue("", tracked(schedule)))
                        .toArray(AnnotationValue[]::new);
                replace(context, annotation, AnnotationInstance.create(Names.SCHEDULES, annotation.target(),
                        List.of(AnnotationValue.createArrayValue("value", schedules))));
            }
        }
    }

    // Coroutines apart: what they fail with does not come out of the method.
    private static boolean canBeIntercepted(MethodInfo method) {
        return Classes.canBeOverridden(method) && !Modifier.isAbstract(method.flags())
                && !Modifier.isFinal(method.declaringClass().flags()) && !method.declaringClass().isInterface()
                && method.parameterTypes().stream().noneMatch(type -> type.name().equals(Names.CONTINUATION));
    }

    private static void replace(TransformationContext context, AnnotationInstance before, AnnotationInstance after) {
        context.remove(annotation -> annotation.name().equals(before.name()));
        context.add(after);
    }

    private static AnnotationInstance tracked(AnnotationInstance schedule) {
        AnnotationValue own = schedule.value(SKIP_EXECUTION_IF);
        if (own != null && !own.asClass().name().equals(NEVER)) {
            return schedule;
        }
        List<AnnotationValue> values = new ArrayList<>(schedule.values());
        values.removeIf(value -> value.name().equals(SKIP_EXECUTION_IF));
        values.add(AnnotationValue.createClassValue(SKIP_EXECUTION_IF, Type.create(TRACKED_RUNS, Type.Kind.CLASS)));
        return AnnotationInstance.create(Names.SCHEDULED, schedule.target(), values);
    }

    private static boolean canBeIntercepted(ClassInfo predicate) {
        return !predicate.name().equals(TRACKED_RUNS) && !predicate.isInterface() && !Modifier.isFinal(predicate.flags())
                && !predicate.isRecord();
    }
}
