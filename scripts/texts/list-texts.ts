import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { parseSource } from '../source/parse-source.ts'
import { openDocument } from './open-document.ts'
import { readDocumentTexts } from './read-document-texts.ts'
import { readMarkdownTexts } from './read-markdown-texts.ts'
import { readPlainTexts } from './read-plain-texts.ts'
import { readSourceTexts } from './read-source-texts.ts'
import type { Text } from './text.ts'

/** Every text of this repository that a person reads. */
export function listTexts(): Text[] {
  const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
  const fromDocument = readDocumentTexts('/openapi.json', openDocument())
  const known = new Set(fromDocument.map(({ text }) => text))
  const fromSource = listFiles(repositoryRoot, ['.ts', '.cjs'])
    .filter(isShown)
    .flatMap((path) => readSourceTexts(parseSource(path, read(path))))
    // What the document shows is listed from it.
    .filter(({ kind, text }) => kind !== 'openapi' || !known.has(text))
  const fromDocuments = listFiles(repositoryRoot, ['.md'])
    .filter((path) => path !== 'PLAN.md' && path !== 'THIRD_PARTY_NOTICES.md')
    .flatMap((path) => readMarkdownTexts(path, read(path)))
  const fromDeployment = listFiles(repositoryRoot, ['.yaml', '.json', '.example', '.service', 'Caddyfile'])
    .filter((path) => path.startsWith('deploy/'))
    .flatMap((path) => readPlainTexts('alert', path, read(path)))
  const fromContracts = listFiles(repositoryRoot, ['.sol'])
    .filter((path) => path.startsWith('contracts/src/'))
    .flatMap((path) => readPlainTexts('contract', path, read(path)))
  return [...fromDocument, ...fromSource, ...fromDeployment, ...fromContracts, ...fromDocuments]
}

/** Tests, generated types and fixtures speak to nobody but us. */
function isShown(path: string): boolean {
  return !/\.test\.ts$|\.d\.ts$|(^|\/)(test|recorded|abi|deployments)\/|^packages\/sdk\/src\/wire\.ts$|^scripts\/(coverage|mutations)\/|colour-names|vitest\.config/.test(
    path,
  )
}
