package dev.weir.proxy;

import dev.weir.mcp.JudgedRequest;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.Reading;
import dev.weir.mcp.ToolListing;
import dev.weir.upstream.Header;
import dev.weir.upstream.UpstreamClient;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands between an upstream's answer and whoever passes it on, and cuts out the tools that the client must not see: out of one
 * document, which is held back until it is whole, or out of each event of a stream. What cannot be read is not passed on.
 *
 * <p>What comes, comes one call at a time.
 */
final class ListedTools implements UpstreamClient.Answer {

    /** The longest document, and the longest event of a stream, in bytes. */
    static final int LONGEST = 8 << 20;

    private static final int PIECE = 32 * 1024;

    /** What is said of bytes that may have changed. */
    private static final Set<String> OF_THE_BYTES = Set.of(
            "content-length",
            "transfer-encoding",
            "content-md5",
            "digest",
            "content-digest",
            "repr-digest",
            "etag",
            "last-modified",
            "accept-ranges");

    /** What is done with an answer. */
    private enum Form {
        PASSED,
        WHOLE,
        EVENTS,
        REFUSED
    }

    private final UpstreamClient.Answer answer;
    private final ToolListing tools;
    private final boolean strict;
    private final Runnable moved;

    private Form form = Form.PASSED;
    private int status;
    private List<Header> headers = List.of();
    private final ByteArrayOutputStream document = new ByteArrayOutputStream();
    private final ListedEvents events;

    /**
     * @param answer passes on what is left
     * @param strict whether every good answer has to be one that can be read, and not only those that say that they are
     * @param moved  run when something has come that is held back
     */
    ListedTools(UpstreamClient.Answer answer, ToolListing tools, boolean strict, Runnable moved) {
        this.answer = answer;
        this.tools = tools;
        this.strict = strict;
        this.moved = moved;
        this.events = new ListedEvents(tools);
    }

    /** What is cut out of the answer to a request; null if nothing is, because none is hidden or it cannot list any. */
    static @Nullable ToolListing cutting(HttpServletRequest request, JudgedRequest judged) {
        Predicate<String> visible = judged.visibleTools();
        return visible != null && mayList(request, judged) ? new ToolListing(visible) : null;
    }

    /** An answer comes to the request that asks for it, or on a stream that a GET has opened. */
    private static boolean mayList(HttpServletRequest request, JudgedRequest judged) {
        if (request.getMethod().equals("GET")) {
            return true;
        }
        McpMessage message = judged.message();
        Reading.Batch batch = judged.batch();
        return batch != null ? batch.messages().stream().anyMatch(ListedTools::asks) : message != null && asks(message);
    }

    private static boolean asks(McpMessage message) {
        return McpMessage.TOOLS_LIST.equals(message.method());
    }

    @Override
    public void onHead(int answered, List<Header> named) {
        AnswerHead head = new AnswerHead(answered, named);
        form = form(head);
        if (form != Form.PASSED && !head.isPlainText()) {
            refuse("the upstream encoded what may be a list of tools, which it was asked not to do");
        } else if (form == Form.WHOLE) {
            status = answered;
            headers = named;
            moved.run();
        } else {
            answer.onHead(answered, form == Form.PASSED ? named : lasting(named));
        }
    }

    private Form form(AnswerHead head) {
        if (head.isEventStream()) {
            return Form.EVENTS;
        }
        // Errors may be pages for people, and what is only accepted has words at most.
        boolean readable = strict && head.status() < 400 && head.status() != 202;
        return readable || head.isJson() ? Form.WHOLE : Form.PASSED;
    }

    @Override
    public void onContent(ByteBuffer content, Runnable more) {
        switch (form) {
            case PASSED -> answer.onContent(content, more);
            case EVENTS -> passEvents(content, more);
            case WHOLE -> {
                hold(content);
                more.run();
            }
            case REFUSED -> more.run();
        }
    }

    private void passEvents(ByteBuffer content, Runnable more) {
        ByteBuffer passed;
        try {
            passed = events.pass(content);
        } catch (IOException e) {
            refuse(e);
            more.run();
            return;
        }
        if (passed.hasRemaining()) {
            answer.onContent(passed, more);
        } else {
            moved.run();
            more.run();
        }
    }

    private void hold(ByteBuffer content) {
        moved.run();
        if (document.size() + content.remaining() > LONGEST) {
            refuse("the upstream's list of tools is longer than " + LONGEST + " bytes");
            return;
        }
        byte[] bytes = new byte[content.remaining()];
        content.duplicate().get(bytes);
        document.writeBytes(bytes);
    }

    @Override
    public void onComplete() {
        switch (form) {
            case PASSED, EVENTS -> answer.onComplete();
            case WHOLE -> give(document.toByteArray());
            case REFUSED -> {}
        }
    }

    private void give(byte[] whole) {
        byte[] shown = whole.length == 0 ? whole : tools.shown(whole);
        if (shown == null) {
            refuse("the upstream's list of tools is no JSON");
            return;
        }
        List<Header> named = lasting(headers);
        named.add(new Header("Content-Length", String.valueOf(shown.length)));
        answer.onHead(status, named);
        give(ByteBuffer.wrap(shown));
    }

    private void give(ByteBuffer rest) {
        if (!rest.hasRemaining()) {
            answer.onComplete();
            return;
        }
        ByteBuffer piece = rest.slice(rest.position(), Math.min(PIECE, rest.remaining()));
        rest.position(rest.position() + piece.remaining());
        answer.onContent(piece, () -> give(rest));
    }

    @Override
    public void onFailure(Throwable cause) {
        if (form != Form.REFUSED) {
            answer.onFailure(cause);
        }
    }

    @Override
    public void onNothingSent(Throwable cause) {
        answer.onNothingSent(cause);
    }

    private void refuse(String why) {
        refuse(new IOException(why));
    }

    /** The call goes on until whoever is told of this gives it up. */
    private void refuse(IOException cause) {
        form = Form.REFUSED;
        answer.onFailure(cause);
    }

    /** The headers that hold whatever is cut out. */
    private static List<Header> lasting(List<Header> headers) {
        List<Header> lasting = new ArrayList<>(headers);
        lasting.removeIf(header -> OF_THE_BYTES.contains(Header.key(header.name())));
        return lasting;
    }
}
