package dev.weir.run;

/** Placeholder. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {}
}
