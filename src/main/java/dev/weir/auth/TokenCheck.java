package dev.weir.auth;

import java.util.concurrent.CompletionStage;

/** What came of checking an access token. */
public sealed interface TokenCheck {

    /** Signed by the issuer, for us, and in time. */
    record Good(Token token) implements TokenCheck {}

    /**
     * Not good, and it will not become good.
     *
     * @param why in words that may be told to its bearer
     */
    record Bad(String why) implements TokenCheck {}

    /**
     * It names a key that is not known yet and is being asked for.
     *
     * @param known done when it is worth while to check again, whatever came of it; never fails, and is done in seconds
     */
    record Later(CompletionStage<Void> known) implements TokenCheck {}

    /** Nobody can tell: there are no keys, because the issuer has not answered since the start. */
    record Unknown() implements TokenCheck {}
}
