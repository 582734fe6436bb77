package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestResponse;

import io.quarkiverse.redisbulkhead.runtime.GuardedMethods.ResultContent;

/** The entity of a response that this application sends. */
@Singleton
public class ResponseContent implements ResultContent {

    private static final String CLIENT = ".client.";

    @Override
    public Object apply(Object result) {
        if (result instanceof RestResponse<?> response) {
            return response.getEntity();
        }
        // The entity of a response that was received may be a stream over what is there already.
        return result instanceof Response response && !result.getClass().getName().contains(CLIENT) ? response.getEntity()
                : result;
    }
}
