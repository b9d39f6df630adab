import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Lexer, type Token, type Tokens } from 'marked'
import { assert } from '../../kernel/assert.ts'
import { plainText } from './plain-text.ts'
import { type RenderedGuide, renderGuide } from './render-guide.ts'

/** A documentation page. */
export type Guide = RenderedGuide & {
  /** Path below `/docs/`, without an extension, such as `reference/errors`. */
  readonly path: string
  readonly group: string
  /** One-line summary for lists; empty if the table of contents contains none. */
  readonly summary: string
}

export type Guides = {
  /** In reading order. */
  readonly pages: readonly Guide[]
  readonly byPath: ReadonlyMap<string, Guide>
  /** Image files, by path below `/docs/`. */
  readonly pictures: ReadonlyMap<string, string>
}

const folder = fileURLToPath(new URL('../../../../../docs/', import.meta.url))

/** Section of `docs/README.md` for contributors, who have the repository. Its pages are not served. */
const unserved = 'Contribute'

/** Reads and renders the guides of `docs/`, in the order of `docs/README.md`. */
export async function readGuides(): Promise<Guides> {
  const entries = readContents(await readFile(join(folder, 'README.md'), 'utf8'))
  const files = await readdir(join(folder, 'images'), { recursive: true })
  const pictures = new Map(
    files
      .filter((name) => /\.(webp|png)$/.test(name))
      .map((name) => [`images/${name}`, join(folder, 'images', name)]),
  )
  const addresses = new Map([
    ['README.md', '/docs/'],
    ...entries.map(({ file }): [string, string] => [file, `/docs/${pathOf(file)}`]),
    ...[...pictures.keys()].map((path): [string, string] => [path, `/docs/${path}`]),
  ])
  const pages = await Promise.all(
    entries.map(async ({ file, ...entry }) => {
      const text = await readFile(join(folder, file), 'utf8')
      return { ...entry, ...renderGuide(text, file, addresses), path: pathOf(file) }
    }),
  )
  return { pages, byPath: new Map(pages.map((page) => [page.path, page])), pictures }
}

type Entry = { readonly file: string; readonly group: string; readonly summary: string }

/** Lists the guides linked in the tables of a table of contents. */
function readContents(markdown: string): readonly Entry[] {
  const entries = new Map<string, Entry>()
  let group = ''
  for (const token of new Lexer().lex(markdown)) {
    if (token.type === 'heading') group = token.text
    if (token.type !== 'table' || group === unserved) continue
    for (const [name, about] of (token as Tokens.Table).rows) {
      const summary = plainText(about?.tokens ?? [])
      const files = [...listLinks(name?.tokens ?? []), ...listLinks(about?.tokens ?? [])]
      for (const [i, file] of files.entries())
        if (!entries.has(file)) entries.set(file, { file, group, summary: i === 0 ? summary : '' })
    }
  }
  assert(entries.size > 0, 'docs/README.md has tables of guides')
  return [...entries.values()]
}

function listLinks(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => (token.type === 'link' ? [String(token.href)] : []))
}

function pathOf(file: string): string {
  return file.replace(/\.md$/, '')
}
