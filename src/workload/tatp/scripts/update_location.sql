\set s_id @subscriber@
\set sub_nbr @sub_nbr@
\set vlr_location @location@
UPDATE subscriber SET vlr_location = :vlr_location WHERE sub_nbr = :'sub_nbr';
