import { cpSync, existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run/run-command.ts'

/**
 * Builds Citus from its source for the PostgreSQL of `pg_config` and installs it there, which needs the right to write
 * to its folders. Where it is installed nothing is done.
 *
 * @returns the folder of PostgreSQL's programs.
 */
export async function buildCitus(source: string | undefined): Promise<string> {
  const ask = async (what: string) => (await must('pg_config', [what])).trim()
  const programs = await ask('--bindir')
  if (existsSync(join(await ask('--sharedir'), 'extension/citus.control'))) return programs
  if (source === undefined)
    throw new Error(
      `Citus is not installed for ${await ask('--version')}: --source names the folder of its source`,
    )
  const folder = mkdtempSync(join(tmpdir(), 'sluice-citus-'))
  console.log(`building Citus in ${folder}`)
  // Not its history: the build would ask it for a version.
  cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith('/.git') })
  renameOwnFunction(folder, await ask('--includedir-server'))
  // A checkout's times follow no order: where this one is older than what it was made from, make would make it anew.
  utimesSync(join(folder, 'configure'), new Date(), new Date())
  await must('./configure', ['--without-lz4', '--without-zstd'], folder)
  await must('nice', ['make', '-j2', 'all'], folder)
  await must('make', ['install'], folder)
  return programs
}

/** Newer minor releases of PostgreSQL 15 declare a function that Citus 13 defines for itself. */
function renameOwnFunction(folder: string, headers: string): void {
  const declared = readFileSync(join(headers, 'commands/dbcommands.h'), 'utf8')
  const path = join(folder, 'src/include/pg_version_compat.h')
  const text = readFileSync(path, 'utf8')
  if (!declared.includes('have_createdb_privilege') || !text.includes('\nhave_createdb_privilege(void)'))
    return
  writeFileSync(
    path,
    text
      .replace('\nhave_createdb_privilege(void)', '\nown_createdb_privilege(void)')
      .replace(
        '#define have_createdb_privilege() have_createdb_privilege()',
        '#define have_createdb_privilege() own_createdb_privilege()',
      ),
  )
}

async function must(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { exitCode, output } = await runCommand(command, args, { ...(cwd && { cwd }) })
  if (exitCode !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output.slice(-2000)}`)
  return output
}
