\set id random(1, 1000 * :scale)
SELECT total FROM toy_items WHERE id = :id;
