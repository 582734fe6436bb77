/**
 * The application that fault tests start many times: it calls guarded methods on command, and each execution reports to an
 * observer outside the process before it works, and before it ends.
 * <p>
 * Both sides send lines of words; {@code -} stands for a word that is empty. The worker sends:
 *
 * <pre>
 * hello PID                            first of all
 * still MS                             the whole process stood still until now
 * in NUMBER BULKHEAD KEY PERMIT TOKEN WEIGHT
 *                                      an execution has its permit; it continues after the confirmation
 * out NUMBER                           it has finished its work; it returns after the confirmation
 * lost PERMIT REASON BULKHEAD          the event of a loss
 * no BULKHEAD KIND EXCEPTION           a call that failed: full, contended, gone, unavailable or other
 * stopped LOAD well|EXCEPTION          all callers of a load have ended
 * inside CALL                          a single call is inside
 * done CALL OUTCOME                    and has returned: "returned", or the kind of a failure; also of a crowd or task
 * detached CALL TOKEN                  a call has detached its permit, and has returned
 * asked well|EXCEPTION                 what Redis answered
 * waiting CALLS                        how many calls of all applications wait
 * facts THREADS HEAP CLOCK             what the process has: bytes of heap, and milliseconds of its clock
 * </pre>
 *
 * It obeys:
 *
 * <pre>
 * ack inNUMBER, ack outNUMBER          confirms
 * load LOAD BULKHEAD sync|uni CALLERS MS KEYS
 *                                      callers call in a loop; each execution takes that long
 * stop LOAD                            they stop after their current call
 * hold CALL BULKHEAD KEY               one call, which stays inside
 * occupy CALL BULKHEAD KEY             the same on a thread of the worker pool
 * detach CALL BULKHEAD                 one call, which detaches its permit
 * attach CALL BULKHEAD TOKEN           attaches a permit, and stays inside with it
 * crowd CROWD BULKHEAD CALLERS         concurrent calls that return a Uni; executions and failure handlers stay
 * let CALL|CROWD                       until it is let go
 * run TASK                             a task on the worker pool that calls nothing guarded, and ends immediately
 * ask, count BULKHEAD, facts           see above
 * </pre>
 *
 * Commands name the bulkhead of a call, or {@code heavy} for a call of {@code pair} with weight 2.
 */
package io.quarkiverse.redisbulkhead.faults.worker;
