package io.quarkiverse.redisbulkhead.deployment.devui;

import io.quarkiverse.redisbulkhead.runtime.dev.RedisBulkheadJsonRpcService;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;

/** The extension's card in the Dev UI, and the pages behind it. */
class DevUiProcessor {

    @BuildStep(onlyIf = IsLocalDevelopment.class)
    CardPageBuildItem card() {
        CardPageBuildItem card = new CardPageBuildItem();
        // The Dev UI adds the folder of the extension to relative paths.
        card.setLogo("logo-dark.svg", "logo-light.svg");
        card.addPage(Page.webComponentPageBuilder()
                .title("Holders")
                .icon("font-awesome-solid:users-line")
                .componentLink("qwc-redis-bulkhead-holders.js"));
        card.addPage(Page.webComponentPageBuilder()
                .title("Declared")
                .icon("font-awesome-solid:file-signature")
                .dynamicLabelJsonRPCMethodName("declaredCount")
                .componentLink("qwc-redis-bulkhead-declared.js"));
        return card;
    }

    @BuildStep(onlyIf = IsLocalDevelopment.class)
    JsonRPCProvidersBuildItem service() {
        return new JsonRPCProvidersBuildItem(RedisBulkheadJsonRpcService.class);
    }
}
