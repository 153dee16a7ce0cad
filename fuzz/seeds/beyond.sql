-- loops, texts, names
\while :i < 3
  \set t concat('it''s ', :i, choose(2, 1, 'b'), random_string('##-@@'))
  SELECT :'t', :'x'||'a:'like'b' FROM sbtest:i, s_:x_:i, "t:d";
  \if :x
    \while NULL
    \endwhile
  \else
    \set i sysbench_gaussian(1, 9, 12) + sysbench_special(1, 9, 12, 1, 75)
  \endif
\endwhile
\set d sysbench_pareto(1, 9, 0.2) - sysbench_zipfian(1, 9, 0.8) * nurand(255, 1, 9, :x)
SELECT a[i:j], ':t', :t, x::int, JSON_OBJECT('k':'x') \gset t_
