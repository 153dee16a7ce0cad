\set s_id @subscriber@
\set sub_nbr @sub_nbr@
\set sf_type random(1, 4)
\set start_time 8 * random(0, 2)
\set end_time random(1, 24)
\set numberx random_string('###############')
BEGIN;
SELECT s_id FROM subscriber WHERE sub_nbr = :'sub_nbr' \gset
SELECT sf_type FROM special_facility WHERE s_id = :s_id;
INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx) SELECT s_id, sf_type, :start_time::smallint, :end_time::smallint, :'numberx'::varchar FROM special_facility WHERE s_id = :s_id AND sf_type = :sf_type ON CONFLICT DO NOTHING;
COMMIT;
