import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { islandsFolder, serverSource } from '../imports/layers.ts'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { parseSource, type Source } from '../source/parse-source.ts'
import { type FoundStatement, findStatements } from './find-statements.ts'

/** Returns the server's source files, without tests and browser scripts. */
export function readServerSources(): Source[] {
  return listFiles(repositoryRoot, ['.ts'])
    .filter((path) => path.startsWith(serverSource) && !path.startsWith(islandsFolder))
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8')))
}

/** Returns every statement in the sources. */
export function readStatements(sources: readonly Source[]): FoundStatement[] {
  return sources.flatMap((source) => findStatements(source, createRequire(join(repositoryRoot, source.path))))
}
