package dev.weir.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.util.Base64URL;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.Test;

/** Ed25519 by the vector of RFC 8037, appendix A.4. */
class Ed25519VerifierTest {

    private static final byte[] X = new Base64URL("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").decode();
    private static final String INPUT = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    private static final String SIGNATURE =
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

    private static boolean isGood(byte[] key, String token) throws Exception {
        return JWSObject.parse(token).verify(new Ed25519Verifier(key));
    }

    @Test
    void theSignatureOfTheRfcIsGoodAndNoOther() throws Exception {
        assertThat(isGood(X, INPUT + "." + SIGNATURE)).isTrue();
        assertThat(isGood(X, INPUT.replace("RXho", "RXhi").replace("RXhh", "RXhi") + "." + SIGNATURE))
                .isFalse();
        assertThat(isGood(X, INPUT + ".A" + SIGNATURE.substring(1))).isFalse();
        assertThat(isGood(X, INPUT + "." + SIGNATURE.substring(4))).isFalse();
        assertThat(isGood(X, INPUT + "." + Base64URL.encode(new byte[64]))).isFalse();
    }

    @Test
    void bytesThatAreNoKeyAreNone() {
        assertThatThrownBy(() -> new Ed25519Verifier(new byte[31])).isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> new Ed25519Verifier(new byte[33])).isInstanceOf(GeneralSecurityException.class);
    }
}
