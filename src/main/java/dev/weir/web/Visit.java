package dev.weir.web;

import dev.weir.auth.Identity;
import dev.weir.auth.Principal;
import dev.weir.gate.Verdict;
import dev.weir.mcp.McpMessage;
import dev.weir.mcp.Reading;
import dev.weir.telemetry.Observation;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the filters know of one HTTP request, from its arrival to its end. Made by the first filter and kept as a request
 * attribute, because a request may come through the chain twice: what has to be remembered, and logged after the request
 * object is gone, is copied here.
 *
 * <p>Written by the thread that runs the chain; read by the one that ends the exchange.
 */
final class Visit {

    private static final String ATTRIBUTE = "dev.weir.visit";

    private final String requestId;
    private final String httpMethod;
    private final String path;
    private final @Nullable String query;
    private final String address;
    private final @Nullable String userAgent;
    private final long arrivedNanos;
    private final Observation observation;
    private final AtomicBoolean startLogged = new AtomicBoolean();
    private final AtomicBoolean endLogged = new AtomicBoolean();
    private final AtomicLong memory = new AtomicLong();
    private final AnswerWatch answer = new AnswerWatch();

    private volatile @Nullable Identity identity;
    private volatile @Nullable McpMessage message;
    private volatile Reading.@Nullable Batch batch;
    private volatile @Nullable Verdict verdict;
    private volatile @Nullable Verdict checking;
    private volatile @Nullable String refusal;
    private volatile byte @Nullable [] body;
    private volatile Collection<String> credentials = List.of();

    private Visit(
            HttpServletRequest request,
            String requestId,
            String path,
            String address,
            long arrivedNanos,
            Observation observation) {
        this.requestId = requestId;
        this.httpMethod = request.getMethod();
        this.path = path;
        this.query = request.getQueryString();
        this.address = address;
        this.userAgent = request.getHeader("User-Agent");
        this.arrivedNanos = arrivedNanos;
        this.observation = observation;
    }

    /**
     * Begins a visit.
     *
     * @param address the address literal of whoever sends the request
     */
    static Visit begin(
            HttpServletRequest request,
            String requestId,
            String path,
            String address,
            long arrivedNanos,
            Observation observation) {
        Visit visit = new Visit(request, requestId, path, address, arrivedNanos, observation);
        request.setAttribute(ATTRIBUTE, visit);
        return visit;
    }

    /** The visit that a request belongs to. */
    static Visit of(ServletRequest request) {
        return (Visit) Objects.requireNonNull(request.getAttribute(ATTRIBUTE), "no filter has begun this request");
    }

    String requestId() {
        return requestId;
    }

    String httpMethod() {
        return httpMethod;
    }

    /** The path within the web application, with nothing left to decode or resolve. */
    String path() {
        return path;
    }

    /** The query as it was sent; null without one. */
    @Nullable
    String query() {
        return query;
    }

    /** The address literal of the caller, who may be behind the peer of the connection. */
    String address() {
        return address;
    }

    @Nullable
    String userAgent() {
        return userAgent;
    }

    long arrivedNanos() {
        return arrivedNanos;
    }

    /** What is measured of the request. */
    Observation observation() {
        return observation;
    }

    @Nullable
    Identity identity() {
        return identity;
    }

    void identify(Identity who) {
        this.identity = who;
    }

    /** To whom a session belongs that the caller opens. */
    String owner() {
        return Objects.requireNonNull(identity, "nobody has been identified yet")
                .caller()
                .owner()
                .key();
    }

    /** Which client or user has proven that the request is its own; null if none has. */
    @Nullable
    String client() {
        Identity who = identity;
        if (!(who instanceof Identity.Proven)) {
            return null;
        }
        String client = who.caller().client();
        return client == null ? owner() : Principal.client(client).key();
    }

    @Nullable
    McpMessage message() {
        return message;
    }

    void read(McpMessage what) {
        this.message = what;
    }

    /** The messages, if they came as a batch; {@link #message} is the one that stands for all then. */
    Reading.@Nullable Batch batch() {
        return batch;
    }

    void read(Reading.Batch what) {
        this.message = what.first();
        this.batch = what;
    }

    /** Takes memory for the request's body; false if there is not enough. */
    boolean takeMemory(BodyBudget budget, long bytes) {
        if (!budget.take(bytes)) {
            return false;
        }
        memory.addAndGet(bytes);
        return true;
    }

    /** Whether the request has memory that is to be given back at its end. */
    boolean hasMemory() {
        return memory.get() > 0;
    }

    /** Gives back all memory that the request has; a second time gives nothing. */
    void giveMemoryBack(BodyBudget budget) {
        budget.giveBack(memory.getAndSet(0));
    }

    @Nullable
    Verdict verdict() {
        return verdict;
    }

    void judge(Verdict decided) {
        this.verdict = decided;
    }

    /** What the gate has said to the check of the request's token; null if it was not asked, or what it gave is given back. */
    @Nullable
    Verdict checking() {
        return checking;
    }

    void checking(@Nullable Verdict decided) {
        this.checking = decided;
    }

    /** What watches the answer. */
    AnswerWatch answer() {
        return answer;
    }

    /** The name of the refusal, if Weir itself has refused the request; else null. */
    @Nullable
    String refusal() {
        return refusal;
    }

    void refused(String name) {
        this.refusal = name;
    }

    /** The body as it was sent; null where it was not read. Not to be changed. */
    byte @Nullable [] body() {
        return body;
    }

    void sent(byte[] what) {
        this.body = what;
    }

    /** What the request has said to prove who sends it, as far as that was asked for. */
    Collection<String> credentials() {
        return credentials;
    }

    void credentials(Collection<String> all) {
        this.credentials = all;
    }

    /** True for the first caller only, who is to log the start. */
    boolean start() {
        return startLogged.compareAndSet(false, true);
    }

    /** True for the first caller only, who is to log the end. */
    boolean end() {
        return endLogged.compareAndSet(false, true);
    }
}
