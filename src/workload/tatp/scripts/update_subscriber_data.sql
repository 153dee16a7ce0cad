\set s_id @subscriber@
\set bit_1 random(0, 1)
\set data_a random(0, 255)
\set sf_type random(1, 4)
\set found 0
BEGIN;
UPDATE subscriber SET bit_1 = :bit_1 WHERE s_id = :s_id;
UPDATE special_facility SET data_a = :data_a WHERE s_id = :s_id AND sf_type = :sf_type RETURNING 1 AS found \aset
\if :found = 1
COMMIT;
\else
ROLLBACK;
\endif
