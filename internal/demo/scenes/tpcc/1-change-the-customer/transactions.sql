-- name: new_order
BEGIN;
UPDATE stock SET quantity = quantity - 1
  WHERE item = :'item' RETURNING quantity;
UPDATE customer SET orders = orders + 1 WHERE name = :'customer';
INSERT INTO orders VALUES (:district, :number, :'customer', false);
COMMIT;

-- name: delivery
BEGIN;
SELECT min(number) AS oldest
  FROM orders WHERE district = 1 AND NOT delivered;
UPDATE orders SET delivered = true WHERE district = 2 AND number = :number;
UPDATE customer SET balance = balance + 5 WHERE name = :'customer';
COMMIT;

-- name: order_status
BEGIN;
SELECT balance FROM customer WHERE name = :'customer';
SELECT max(number) AS last_order FROM orders WHERE customer = :'customer';
COMMIT;
