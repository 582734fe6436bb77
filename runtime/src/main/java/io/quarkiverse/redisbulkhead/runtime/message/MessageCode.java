package io.quarkiverse.redisbulkhead.runtime.message;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** The numbers of the messages about mistakes. A page of the documentation explains each of them. */
public enum MessageCode {

    /** The name of a bulkhead is not valid. */
    RBH001,
    /** The permits in an annotation are out of range. */
    RBH002,
    /** The expire of an annotation cannot be read, or is out of bounds. */
    RBH003,
    /** The maxWait of an annotation cannot be read, is negative, or out of bounds. */
    RBH004,
    /** A configured value is not valid. */
    RBH005,
    /** The permits of a bulkhead are not configured. */
    RBH006,
    /** One name has different values at different places. */
    RBH007,
    /** A bulkhead has the name of a property of the extension. */
    RBH008,
    /** One method has two bulkheads of the same name. */
    RBH009,
    /** A private, static or final method cannot be guarded. */
    RBH010,
    /** The class is not a bean. */
    RBH011,
    /** CDI runs no interceptor there. */
    RBH012,
    /** The binding of the interceptor stands alone. */
    RBH013,
    /** The end of an execution cannot be seen. */
    RBH014,
    /** A synchronous method runs on an event loop. */
    RBH015,
    /** A key belongs to no bulkhead of the method. */
    RBH016,
    /** A key belongs to several bulkheads of the method. */
    RBH017,
    /** A bulkhead has several keys. */
    RBH018,
    /** The type of a key has no defined text. */
    RBH019,
    /** A bulkhead has a key at one place and none at another. */
    RBH020,
    /** The resolver of a key is not exactly one bean. */
    RBH021,
    /** The named Redis client is not known. */
    RBH022,
    /** A lease is shorter than three times the command timeout. */
    RBH023,
    /** A process has no usable limit of its own for outages. */
    RBH024,
    /** The configuration names a bulkhead that is not declared. */
    RBH025,
    /** An expression in an annotation cannot be resolved. */
    RBH026,
    /** Redis hosts are not configured. */
    RBH027,
    /** A property of the extension does not exist. */
    RBH028,
    /** The management endpoint needs an HTTP server. */
    RBH029,
    /** The weight of a call is out of range, or more than the permits of its bulkhead. */
    RBH030,
    /** A minimum hold is longer than the lease or the maximum hold. */
    RBH031,
    /** A name is in quotes in one property and not in another. */
    RBH032,
    /** Calls of a method that returns something cannot be skipped. */
    RBH033,
    /** A method overrides a guarded one without the annotation. */
    RBH034,
    /** Code defines a bulkhead with other values than an annotation or other code. */
    RBH035,
    /** LangChain4j does not let a method of an AI service be guarded. */
    RBH036,
    /** A scheduled method with one permit leaves open what happens to runs that overlap. */
    RBH037,
    /** A parameter cannot be the weight of a call. */
    RBH038;

    /** The address of the folder with the pages of the documentation. */
    static final String SITE = "https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/";

    /**
     * The last sentence of a message that is not part of a report.
     *
     * @return without a full stop
     */
    public String whereExplained() {
        return whereExplained(EnumSet.of(this));
    }

    /**
     * The last line of a report: where its mistakes are explained.
     *
     * @param codes the numbers in the report; not empty
     * @return one line
     */
    public static String whereExplained(Set<MessageCode> codes) {
        return EnumSet.copyOf(codes).stream().map(code -> "#" + code)
                .collect(Collectors.joining(", ", "See " + SITE + "errors.html", ""));
    }
}
