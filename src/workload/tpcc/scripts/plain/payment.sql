BEGIN;
\if :by_name
SELECT c_id FROM (SELECT c_id, row_number() OVER (ORDER BY c_first) AS place, count(*) OVER () AS customers FROM customer WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_last = :'c_last') AS named WHERE place = (customers + 1) / 2 \gset
\endif
UPDATE warehouse SET w_ytd = w_ytd + :amount WHERE w_id = :w_id RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip \gset
UPDATE district SET d_ytd = d_ytd + :amount WHERE d_w_id = :w_id AND d_id = :d_id RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip \gset
UPDATE customer SET c_balance = c_balance - :amount, c_ytd_payment = c_ytd_payment + :amount, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left(c_id::text || ' ' || c_d_id::text || ' ' || c_w_id::text || ' ' || :d_id::text || ' ' || :w_id::text || ' ' || :amount::text || ' ' || c_data, 500) ELSE c_data END WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, CASE WHEN c_credit = 'BC' THEN left(c_data, 200) END AS c_data \gset
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (:c_id, :c_d_id, :c_w_id, :d_id, :w_id, localtimestamp, :amount, :'w_name' || '    ' || :'d_name');
COMMIT;
