/** How rejections look to the callers of a REST application. */
package io.quarkiverse.redisbulkhead.runtime.rest;
