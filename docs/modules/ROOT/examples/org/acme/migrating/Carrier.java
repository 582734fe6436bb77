package org.acme.migrating;

import jakarta.enterprise.context.ApplicationScoped;

/** Stands in for the API of a carrier. */
@ApplicationScoped
public class Carrier {

    String position(String parcel) {
        return parcel + " is on its way";
    }

    String arrival(String parcel) {
        return parcel + " arrives tomorrow";
    }
}
