package dev.weir.run.storm;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/** The log of the MCP SDK and of Reactor under it: a line or more for each refusal, and of no use beside the storm's own words. */
final class SdkLogs {

    private SdkLogs() {}

    static void silence() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
            logback.getLogger("io.modelcontextprotocol").setLevel(Level.OFF);
            logback.getLogger("reactor").setLevel(Level.OFF);
        }
    }
}
