import { bool, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** State of the archive that PostgreSQL keeps of its write-ahead log. */
export type ArchiveState = {
  readonly isOn: boolean
  /** Name of the last file that was archived since the statistics were reset. */
  readonly lastFile: string | null
  /** `undefined` if archiving is off, or works. */
  readonly fault: 'no_command' | 'fails' | undefined
}

/** Reads whether PostgreSQL archives its log: a base backup and its verification succeed without it. */
export async function readArchiveState(db: Database): Promise<ArchiveState> {
  const state = await db.row(findState())
  const isOn = state !== undefined && state.mode !== 'off'
  const fault = !isOn ? undefined : !state.hasCommand ? 'no_command' : state.fails ? 'fails' : undefined
  return { isOn, lastFile: state?.lastFile ?? null, fault }
}

const findState = statement({
  name: 'find-archive-state',
  reads: { mode: text(), hasCommand: bool(), fails: bool(), lastFile: optional(text()) },
  text: `SELECT current_setting('archive_mode') AS mode, last_archived_wal AS last_file,
      current_setting('archive_command') <> '' OR current_setting('archive_library') <> '' AS has_command,
      last_failed_time IS NOT NULL AND (last_archived_time IS NULL OR last_failed_time > last_archived_time) AS fails
    FROM pg_stat_archiver`,
})
