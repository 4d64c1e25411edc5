package dev.weir.proxy;

/**
 * One header line. A name may come more than once in a list of them, and their order is kept.
 *
 * @param name  as it was sent; names differ by more than case
 * @param value without the white space around it
 */
public record Header(String name, String value) {}
