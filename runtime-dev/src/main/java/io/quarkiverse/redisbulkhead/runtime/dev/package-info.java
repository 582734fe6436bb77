/** What the Dev UI and Dev MCP ask and do; on the class path in dev mode only. */
package io.quarkiverse.redisbulkhead.runtime.dev;
