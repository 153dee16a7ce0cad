-- branches
\if :x > 1
  SELECT 1;
  \if false
    \sleep 1 ms
  \elif :n IS NULL
    \sleep :x us
  \else
    SELECT 2;
  \endif
\elif 0
  SELECT 3;
\else
  \sleep 10s
\endif
END
