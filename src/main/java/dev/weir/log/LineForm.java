package dev.weir.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.io.ByteArrayOutputStream;

/** How a line of the log is written. Used by one thread. */
interface LineForm {

    /** Appends an event, with the line break that ends it. */
    void write(ILoggingEvent event, ByteArrayOutputStream out);
}
