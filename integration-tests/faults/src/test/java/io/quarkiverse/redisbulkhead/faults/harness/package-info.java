/**
 * The building blocks of fault scenarios.
 * <p>
 * A {@link io.quarkiverse.redisbulkhead.faults.harness.Scenario} is given a
 * {@link io.quarkiverse.redisbulkhead.faults.harness.Stage}, on which it starts servers (RedisProcess, SentinelGroup,
 * ClusterGroup), puts a network before them (Proxy), starts applications (WorkerProcess), lets them work, breaks something
 * and waits for the effects. Meanwhile each execution reports to the Observer, which writes the History. At the end
 * the FinalJudgement lets everything come to rest, and has the Checker judge the history by the guarantees; the
 * results (Figures) go into the ScenarioTable.
 * <p>
 * The package of the worker lists the messages between applications and observer.
 */
package io.quarkiverse.redisbulkhead.faults.harness;
