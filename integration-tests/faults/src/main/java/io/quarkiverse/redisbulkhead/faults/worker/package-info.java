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
 * It obeys the commands that {@link io.quarkiverse.redisbulkhead.faults.worker.Worker} lists, and {@code ack inNUMBER} or
 * {@code ack outNUMBER}, which confirms.
 * Commands name the bulkhead of a call, or {@code heavy} for a call of {@code pair} with weight 2.
 */
package io.quarkiverse.redisbulkhead.faults.worker;
