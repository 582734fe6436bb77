package io.quarkiverse.redisbulkhead.entrypoints;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;

/** The base class of a service as the gRPC compiler generates it, written by hand, so that the build needs no compiler. */
public abstract class PlainImplBase implements BindableService {

    private static final String SERVICE = "test.Plain";

    static final MethodDescriptor<HealthCheckRequest, HealthCheckResponse> WITHIN = method("within");

    private static MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method(String name) {
        return MethodDescriptor.<HealthCheckRequest, HealthCheckResponse> newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(HealthCheckRequest.getDefaultInstance()))
                .setResponseMarshaller(ProtoUtils.marshaller(HealthCheckResponse.getDefaultInstance()))
                .build();
    }

    public void within(HealthCheckRequest request, StreamObserver<HealthCheckResponse> answers) {
        ServerCalls.asyncUnimplementedUnaryCall(WITHIN, answers);
    }

    @Override
    public final ServerServiceDefinition bindService() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(WITHIN, ServerCalls.asyncUnaryCall(this::within))
                .build();
    }
}
