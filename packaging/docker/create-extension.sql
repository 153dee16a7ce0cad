-- In the first database of a new cluster; another one needs the same.
CREATE EXTENSION pgperf CASCADE;
