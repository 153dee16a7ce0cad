//! The caches before the clients begin: emptied, or filled. After the first samples, which read the tables themselves.

use super::{Leader, WATCH_INTERVAL};
use crate::collect::database_size::database_files;
use crate::pg::pages::buffers::buffers;
use crate::pg::pages::relation::open_without_waiting;
use crate::pg::server::checkpoint::{self, Checkpoint};
use crate::pg::server::page_cache::{Residency, drop_pages, residency};
use crate::pg::sql::xact;
use crate::run::caches::{Caches, Prepared, evict, relations, store};
use pgrx::pg_sys::Oid;
use std::path::Path;
use std::time::Duration;

/// Files between two looks at whether somebody stops the run.
const FILES: usize = 50;
/// The same in blocks.
const BLOCKS: u32 = 4_096;

impl Leader {
    /// Does what the run asks for, before its first segment, and stores what has become of it.
    pub(super) fn prepare_caches(&mut self) {
        let Some(caches) = self.spec.caches.filter(|_| self.spec.segment == 0) else {
            return;
        };
        let mut prepared = Prepared::default();
        match caches {
            Caches::Cold => self.empty_caches(&mut prepared),
            Caches::Warm => self.fill_caches(&mut prepared),
        }
        if self.end.is_some() {
            return;
        }
        prepared.residency = self.over_files(Residency::default(), |sum, path| {
            // One may be dropped meanwhile.
            sum.add(residency(path).unwrap_or_default());
        });
        (self.stored).store(|run| store(&run.node_id, run.run_id, caches, &prepared));
    }

    fn empty_caches(&mut self, prepared: &mut Prepared) {
        match checkpoint::request() {
            Ok(position) => {
                while self.end.is_none()
                    && !Checkpoint::now().is_some_and(|now| now.is_complete_since(position))
                {
                    self.watch(WATCH_INTERVAL);
                }
            }
            Err(error) => prepared.trouble = Some(error.message),
        }
        if self.end.is_some() {
            return;
        }
        let evicted = &mut prepared.evicted;
        let stored = self.stored.try_store(|run| {
            *evicted = Some(evict(&run.node_id, run.run_id)?);
            Ok(())
        });
        if !stored {
            prepared.trouble =
                Some("shared_buffers could not be emptied (see the server log)".to_owned());
        }
        let failed = self.over_files(None, |failed, path| {
            if let Err(error) = drop_pages(path)
                && path.exists()
            {
                failed.get_or_insert(error.to_string());
            }
        });
        if let Some(error) = failed.flatten() {
            prepared.trouble = Some(format!("the pages of files could not be given up: {error}"));
        }
    }

    /// Does something with each file of the database, as long as nobody stops the run; None: they cannot be listed, or somebody did.
    fn over_files<T>(&mut self, mut sum: T, mut each: impl FnMut(&mut T, &Path)) -> Option<T> {
        let files = database_files().ok()?;
        for some in files.chunks(FILES) {
            some.iter().for_each(|path| each(&mut sum, path));
            self.watch(Duration::ZERO);
            if self.end.is_some() {
                return None;
            }
        }
        Some(sum)
    }

    /// Reads tables, then indexes, into shared_buffers until these are full, and the rest into the operating system's cache alone: it
    /// would only displace the others. Those that somebody locks are left out.
    fn fill_caches(&mut self, prepared: &mut Prepared) {
        let mut all = Vec::new();
        self.stored.try_store(|_| {
            all = relations()?;
            Ok(())
        });
        let fit = buffers() as u64;
        let mut read = 0;
        for oid in all {
            let mut from = 0;
            loop {
                // One that is locked, or gone, is passed over.

                let blocks = xact::transaction(|| {
                    open_without_waiting(Oid::from(oid), |relation| {
                        let until = relation.blocks().min(from + BLOCKS);
                        for block in from..until {
                            relation.read(block, read + u64::from(block - from) < fit);
                        }
                        Ok(until.saturating_sub(from))
                    })
                });
                let blocks = blocks.ok().and_then(Result::ok).unwrap_or(0);
                self.watch(Duration::ZERO);
                if self.end.is_some() {
                    return;
                }
                read += u64::from(blocks);
                from += blocks;
                if blocks < BLOCKS {
                    break;
                }
            }
        }
        prepared.read = Some(read * u64::from(pgrx::pg_sys::BLCKSZ));
    }
}
