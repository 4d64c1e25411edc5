package dev.weir.console;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Serves the console's files from memory. Safe for use by many threads. */
public final class ConsoleServlet extends HttpServlet {

    private final transient ConsoleFiles files;

    public ConsoleServlet(ConsoleFiles files) {
        this.files = files;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (request.getMethod().equals("GET") || request.getMethod().equals("HEAD")) {
            super.service(request, response);
        } else {
            // Said here, because the container would say it with a page of its own.
            response.setHeader("Allow", "GET, HEAD");
            refuse(
                    response,
                    HttpServletResponse.SC_METHOD_NOT_ALLOWED,
                    "method_not_allowed",
                    "Pages can only be read.");
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        if (path == null) {
            // The pages' own addresses are relative to the slash.
            response.setStatus(HttpServletResponse.SC_MOVED_PERMANENTLY);
            response.setHeader("Location", request.getContextPath() + "/admin/");
            return;
        }
        ConsoleFiles.File file = files.find(path.equals("/") ? "/index.html" : path);
        if (file == null) {
            refuse(response, HttpServletResponse.SC_NOT_FOUND, "not_found", "The console has no such page.");
        } else {
            serve(file, request.getHeader("If-None-Match"), response);
        }
    }

    private static void serve(ConsoleFiles.File file, @Nullable String known, HttpServletResponse response)
            throws IOException {
        // Looked at again each time, so that no browser runs half of an old console and half of a new one.
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", file.tag());
        if (file.tag().equals(known)) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        response.setContentType(file.type());
        response.setContentLength(file.content().length);
        response.getOutputStream().write(file.content());
    }

    private static void refuse(HttpServletResponse response, int status, String code, String message)
            throws IOException {
        byte[] body = ("{\"error\":\"" + code + "\",\"message\":\"" + message + "\"}").getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
