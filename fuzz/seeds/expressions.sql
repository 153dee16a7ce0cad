\set x random(1, 100000 * :scale) + random_gaussian(-5, 5, 2.5) - random_zipfian(1, 1000000, 1.1)
\set d pow(2.0, -0.5) * sqrt(abs(-.5E1)) / ln(exp(1)) + pi() % 3 - double(:i & 7 | 8 # 1 << 2 >> 1)
\set b CASE WHEN :x >= 1 AND NOT :b OR :n IS NOT NULL THEN least(1, 2.5, :d) WHEN :n ISNULL THEN NULL ELSE ~ 1 END
\set h hash(:x) + hash_fnv1a(1, 2) - permute(hash_murmur2(:d), 9223372036854775797, :default_seed)
\set t debug(true <> false IS FALSE) \
  or greatest(-9223372036854775808, 1e15) != 0
\set e random_exponential(0, 10, 0.5)
\set z mod(1, 0)
SELECT :x, :d, ':b', :h::int8, :t;
