/** The backend of the Dev UI and Dev MCP; on the class path in dev mode only. */
package io.quarkiverse.redisbulkhead.runtime.dev;
