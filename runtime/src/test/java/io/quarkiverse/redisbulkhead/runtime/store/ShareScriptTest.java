package io.quarkiverse.redisbulkhead.runtime.store;

import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/** The script of shares, on a model of Redis. */
class ShareScriptTest extends ShareStoreContract {

    @Override
    protected ComparedShares shares() {
        return new ComparedShares.Modelled(ScriptTexts.of("share"));
    }
}
