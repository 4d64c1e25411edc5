package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where metadata is looked for, and what is believed of it. */
class IssuerMetadataTest {

    private static final URI ISSUER = URI.create("https://login.example/tenant");

    @Test
    void metadataIsLookedForInThePlacesOfBothSpecifications() {
        assertThat(IssuerMetadata.addresses(ISSUER))
                .isEqualTo(List.of(
                        URI.create("https://login.example/.well-known/oauth-authorization-server/tenant"),
                        URI.create("https://login.example/.well-known/openid-configuration/tenant"),
                        URI.create("https://login.example/tenant/.well-known/openid-configuration")));
        for (String plain : List.of("https://login.example:8443", "https://login.example:8443/")) {
            assertThat(IssuerMetadata.addresses(URI.create(plain)))
                    .isEqualTo(List.of(
                            URI.create("https://login.example:8443/.well-known/oauth-authorization-server"),
                            URI.create("https://login.example:8443/.well-known/openid-configuration")));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://login.example/tenant, https://keys.example/jwks, true",
        "http://login.example/tenant, http://keys.example/jwks, true",
        "http://login.example/tenant, https://keys.example/jwks, true",
        "https://login.example/tenant, http://keys.example/jwks, false",
        "https://login.example/tenant, /jwks, false",
        "https://login.example/tenant, ftp://keys.example/jwks, false",
        "http://login.example/tenant, file:///etc/passwd, false",
        "https://login.example/tenant, https://user:pass@keys.example/jwks, false",
        "https://login.example/tenant, https:///jwks, false",
        "https://login.example/tenant, not an address, false"
    })
    void keysAreAskedForAsSafelyAsTheIssuerIsNamed(URI issuer, String keys, boolean taken) throws Exception {
        String metadata = "{\"issuer\":\"" + issuer + "\",\"jwks_uri\":\"" + keys + "\"}";
        if (taken) {
            assertThat(IssuerMetadata.jwksUri(issuer, metadata)).isEqualTo(URI.create(keys));
        } else {
            assertThatThrownBy(() -> IssuerMetadata.jwksUri(issuer, metadata)).isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"issuer\":\"https://login.example\",\"jwks_uri\":\"https://keys.example\"}",
                "{\"issuer\":\"https://login.example/tenant/\",\"jwks_uri\":\"https://keys.example\"}",
                "{\"issuer\":[\"https://login.example/tenant\"],\"jwks_uri\":\"https://keys.example\"}",
                "{\"jwks_uri\":\"https://keys.example\"}",
                "{\"issuer\":\"https://login.example/tenant\"}",
                "{\"issuer\":\"https://login.example/tenant\",\"jwks_uri\":7}",
                "[]",
                "null",
                "",
                "<html>"
            })
    void metadataOfSomebodyElseOrWithoutKeysIsNone(String metadata) {
        assertThatThrownBy(() -> IssuerMetadata.jwksUri(ISSUER, metadata)).isInstanceOf(IOException.class);
    }
}
