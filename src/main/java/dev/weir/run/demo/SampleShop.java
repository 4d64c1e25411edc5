package dev.weir.run.demo;

import java.util.List;

/** The sample shop as SQL statements, in the order in which they must run. */
final class SampleShop {

    static final List<String> SQL = List.of("""
            CREATE TABLE customer (
                id BIGINT PRIMARY KEY,
                name VARCHAR(80) NOT NULL,
                email VARCHAR(120) NOT NULL UNIQUE,
                country CHAR(2),
                created_at TIMESTAMP WITH TIME ZONE NOT NULL)""", """
            CREATE TABLE product (
                id BIGINT PRIMARY KEY,
                sku VARCHAR(20) NOT NULL UNIQUE,
                title VARCHAR(120) NOT NULL,
                price NUMERIC(10, 2) NOT NULL,
                discontinued BOOLEAN NOT NULL)""", """
            CREATE TABLE orders (
                id BIGINT PRIMARY KEY,
                customer_id BIGINT NOT NULL REFERENCES customer(id),
                placed_at TIMESTAMP WITH TIME ZONE NOT NULL,
                note VARCHAR(400))""", """
            CREATE TABLE order_line (
                order_id BIGINT NOT NULL REFERENCES orders(id),
                line_no INTEGER NOT NULL,
                product_id BIGINT NOT NULL REFERENCES product(id),
                quantity INTEGER NOT NULL,
                PRIMARY KEY (order_id, line_no))""", """
            INSERT INTO customer VALUES
                (1, 'Ada Okafor', 'ada@example.com', 'NG', TIMESTAMP WITH TIME ZONE '2026-01-05 09:00:00+00'),
                (2, 'Lin Wei', 'lin@example.com', 'CN', TIMESTAMP WITH TIME ZONE '2026-02-11 03:30:00+00'),
                (3, 'Marta Ruiz', 'marta@example.com', NULL, TIMESTAMP WITH TIME ZONE '2026-03-20 18:15:00+00')""", """
            INSERT INTO product VALUES
                (1, 'TEA-01', 'Green tea, 100 g', 6.50, FALSE),
                (2, 'CUP-07', 'Cup', 12.00, FALSE),
                (3, 'POT-02', 'Tea pot', 48.90, TRUE)""", """
            INSERT INTO orders VALUES
                (1000, 1, TIMESTAMP WITH TIME ZONE '2026-04-01 10:00:00+00', NULL),
                (1001, 2, TIMESTAMP WITH TIME ZONE '2026-04-02 11:00:00+00', 'A present')""", """
            INSERT INTO order_line VALUES (1000, 1, 1, 2), (1000, 2, 2, 2), (1001, 1, 3, 1)""");

    private SampleShop() {}
}
