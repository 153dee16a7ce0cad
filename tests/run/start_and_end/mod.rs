//! How runs begin and end: they belong to the transaction and the role that start them.

mod commit;
mod life;
mod roles;

/// Arguments of a run that leaves a row in the table `ran` for each transaction.
const MARK: &str = "script => 'INSERT INTO ran DEFAULT VALUES;', transactions_per_client => 5";

const SHORT_SWEEP: &str =
    "script => 'SELECT 1;', clients => '{1}', duration => '10 ms', repetitions => 1";

const CREATE_RAN: &str =
    "CREATE TABLE ran (role text DEFAULT current_user, session_role text DEFAULT session_user)";
