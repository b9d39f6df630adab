import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Declaration, listDeclarations } from '../source/list-declarations.ts'
import { listFiles } from '../source/list-files.ts'
import { listSolidity } from '../source/list-solidity.ts'
import type { Sources } from './find-place.ts'

const folders = /^((apps|packages)\/[^/]+|contracts)\/src\//

/** What the product is made of, below `root`: its TypeScript and its contracts. */
export function readSources(root: string): Sources {
  const texts = new Map<string, string>()
  const declarations = new Map<string, Declaration[]>()
  for (const path of listFiles(root, ['.ts', '.sol'])) {
    if (!folders.test(path) || path.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, path), 'utf8')
    texts.set(path, text)
    for (const each of path.endsWith('.sol') ? listSolidity(path, text) : listDeclarations(path, text))
      declarations.set(each.name, [...(declarations.get(each.name) ?? []), each])
  }
  return { texts, declarations }
}
