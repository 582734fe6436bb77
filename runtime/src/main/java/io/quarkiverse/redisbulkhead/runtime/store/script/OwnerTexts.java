package io.quarkiverse.redisbulkhead.runtime.store.script;

import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/**
 * Writes who asks for a permit, and keeps what it wrote last, as many calls in a row are of one method. Safe for use by many
 * threads.
 */
final class OwnerTexts {

    private volatile Owner last = new Owner("", "", "", "", "");

    private record Owner(String mailbox, String application, String instance, String method, String text) {

        private boolean is(String otherMailbox, String otherApplication, String otherInstance, String otherMethod) {
            return method.equals(otherMethod) && mailbox.equals(otherMailbox) && application.equals(otherApplication)
                    && instance.equals(otherInstance);
        }
    }

    /** See {@link PermitDetails#owner}. */
    String text(String mailbox, String application, String instance, String method) {
        Owner known = last;
        if (!known.is(mailbox, application, instance, method)) {
            known = new Owner(mailbox, application, instance, method,
                    PermitDetails.owner(mailbox, application, instance, method));
            last = known;
        }
        return known.text();
    }
}
