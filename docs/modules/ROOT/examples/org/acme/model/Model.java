package org.acme.model;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for the client of a model. */
@ApplicationScoped
public class Model {

    public String answer(String prompt, int mostTokens) {
        return "an answer to " + prompt;
    }
}
