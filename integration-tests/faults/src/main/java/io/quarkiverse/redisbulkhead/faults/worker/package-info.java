/**
 * The application that fault tests start many times: it calls guarded methods on command, and each execution reports to an
 * observer outside the process before it works, and before it ends.
 * <p>
 * Both sides send lines of words; {@code -} stands for a word that is empty. The worker tells:
 * <table>
 * <caption>Lines to the observer</caption>
 * <tr>
 * <td>{@code hello <pid>}</td>
 * <td>first of all</td>
 * </tr>
 * <tr>
 * <td>{@code still <ms>}</td>
 * <td>the whole process stood still until now</td>
 * </tr>
 * <tr>
 * <td>{@code in <number> <bulkhead> <key> <permit> <token> <weight>}</td>
 * <td>an execution has its permit; it continues after the confirmation</td>
 * </tr>
 * <tr>
 * <td>{@code out <number>}</td>
 * <td>it has finished its work; it returns after the confirmation</td>
 * </tr>
 * <tr>
 * <td>{@code lost <permit> <reason> <bulkhead>}</td>
 * <td>the event of a loss</td>
 * </tr>
 * <tr>
 * <td>{@code no <bulkhead> full|contended|gone|unavailable|other <exception>}</td>
 * <td>a call that failed</td>
 * </tr>
 * <tr>
 * <td>{@code stopped <load> well|<exception>}</td>
 * <td>all callers of a load have ended</td>
 * </tr>
 * <tr>
 * <td>{@code inside <call>}, {@code done <call, crowd or task>}</td>
 * <td>a single call is inside, and has returned; a call with its outcome: {@code returned}, or the kind of a failure</td>
 * </tr>
 * <tr>
 * <td>{@code detached <call> <token>}</td>
 * <td>a call has detached its permit, and has returned</td>
 * </tr>
 * <tr>
 * <td>{@code asked well|<exception>}</td>
 * <td>what Redis answered</td>
 * </tr>
 * <tr>
 * <td>{@code waiting <calls>}</td>
 * <td>how many calls of all applications wait</td>
 * </tr>
 * <tr>
 * <td>{@code facts <threads> <bytes of heap> <clock, ms>}</td>
 * <td>what the process has</td>
 * </tr>
 * </table>
 * It obeys:
 * <table>
 * <caption>Lines to the worker</caption>
 * <tr>
 * <td>{@code ack in<number>}, {@code ack out<number>}</td>
 * <td>confirms</td>
 * </tr>
 * <tr>
 * <td>{@code load <load> <bulkhead> sync|uni <callers> <ms inside> <keys>}</td>
 * <td>callers call in a loop</td>
 * </tr>
 * <tr>
 * <td>{@code stop <load>}</td>
 * <td>they stop after their current call</td>
 * </tr>
 * <tr>
 * <td>{@code hold <call> <bulkhead> <key>}</td>
 * <td>one call, which stays inside</td>
 * </tr>
 * <tr>
 * <td>{@code detach <call> <bulkhead>}</td>
 * <td>one call, which detaches its permit</td>
 * </tr>
 * <tr>
 * <td>{@code attach <call> <bulkhead> <token>}</td>
 * <td>attaches a permit, and stays inside with it</td>
 * </tr>
 * <tr>
 * <td>{@code occupy <call> <bulkhead> <key>}</td>
 * <td>the same on a thread of the worker pool</td>
 * </tr>
 * <tr>
 * <td>{@code crowd <crowd> <bulkhead> <callers>}</td>
 * <td>calls that return a {@code Uni}, all at once; their executions and their failure handlers stay</td>
 * </tr>
 * <tr>
 * <td>{@code let <call or crowd>}</td>
 * <td>until it is let go</td>
 * </tr>
 * <tr>
 * <td>{@code run <task>}</td>
 * <td>a task on the worker pool that calls nothing guarded, and is done at once</td>
 * </tr>
 * <tr>
 * <td>{@code ask}, {@code count <bulkhead>}, {@code facts}</td>
 * <td>see above</td>
 * </tr>
 * </table>
 * Commands name the bulkhead of a call, or {@code heavy} for a call of {@code pair} with weight 2.
 */
package io.quarkiverse.redisbulkhead.faults.worker;
