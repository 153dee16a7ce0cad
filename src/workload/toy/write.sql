\set id random(1, 1000 * :scale)
\set added random(-50, 50)
BEGIN;
UPDATE toy_items SET total = total + :added WHERE id = :id;
INSERT INTO toy_log (id, added) VALUES (:id, :added);
END;
