\set s_id @subscriber@
\set sub_nbr @sub_nbr@
\set sf_type random(1, 4)
\set start_time 8 * random(0, 2)
BEGIN;
SELECT s_id FROM subscriber WHERE sub_nbr = :'sub_nbr' \gset
DELETE FROM call_forwarding WHERE s_id = :s_id AND sf_type = :sf_type AND start_time = :start_time;
COMMIT;
