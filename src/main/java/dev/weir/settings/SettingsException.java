package dev.weir.settings;

/** Says in one line which setting is unusable and why. Holds no secret. */
public final class SettingsException extends RuntimeException {

    public SettingsException(String message) {
        super(message);
    }
}
