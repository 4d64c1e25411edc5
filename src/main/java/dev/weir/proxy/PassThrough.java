package dev.weir.proxy;

import dev.weir.upstream.Header;
import dev.weir.upstream.Manners;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is particular to an exchange on a route of kind {@code http}: its body is streamed, and its answer is nothing that anybody
 * here understands, but for the status and a few headers.
 *
 * @param method  the HTTP method
 * @param upload  the request's body; null where it has none
 * @param address how addresses of the upstream are told
 * @param errors  what becomes of error answers
 */
record PassThrough(String method, @Nullable Upload upload, PublicAddress address, Manners.Errors errors) {

    /** The head of an answer, with the addresses in it as clients are told them. */
    AnswerHead head(int status, List<Header> headers) {
        List<Header> told = new ArrayList<>();
        for (Header header : headers) {
            if (isAddress(header)) {
                String shown = address.of(header.value());
                if (shown != null) {
                    told.add(new Header(header.name(), shown));
                }
            }
        }
        return new AnswerHead(status, headers, told);
    }

    /** Why an answer must not reach the client, or null if it may: a redirect that leads around the gateway. */
    @Nullable
    String refusal(AnswerHead head) {
        boolean redirects = head.status() >= 300 && head.status() < 400;
        return redirects && head.has("Location") && !head.tells("Location")
                ? "the upstream answered " + head.status() + " with an address that is not under its own"
                : null;
    }

    /** What holds an answer back until it is whole, where its status says that it is not passed as it comes; else null. */
    @Nullable
    HeldAnswer held(AnswerHead head) {
        if (replaces(head.status())) {
            return new ErrorAnswer(head);
        }
        return isBodiless(head.status()) ? new BodilessAnswer(head) : null;
    }

    private boolean replaces(int status) {
        return switch (errors) {
            case UNIFIED -> status >= 400;
            case MASK_5XX -> status >= 500;
            case PASS -> false;
        };
    }

    /** Whether an answer has no body, whatever length it names. */
    private boolean isBodiless(int status) {
        return method.equals("HEAD") || status == 204 || status == 304;
    }

    private static boolean isAddress(Header header) {
        return header.name().equalsIgnoreCase("Location") || header.name().equalsIgnoreCase("Content-Location");
    }
}
