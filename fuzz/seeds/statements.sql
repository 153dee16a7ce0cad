BEGIN;
SELECT ':x', E'\';' 'x', U&'d\0061t;' AS "a;""b", $$;$$, $q$ :x; $$ $q$, $1 /* ; /* ; */ */ -- ;
  , B'01', 1.5e-3::float8, (SELECT 1; SELECT 2), :x::text, array[1:2], '12:30:00';
CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE SQL BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END;
SELECT 1 \; SELECT 2 \; SELECT 3;
SELECT E'a'
  'b;\'' ;
INSERT INTO größe VALUES (:x, :i, :d);
END;
SELECT 'unfinished
