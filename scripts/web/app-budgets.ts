import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findBuild } from '../../apps/server/src/app/dashboard/find-build.ts'
import { makeLog } from '../../apps/server/src/platform/log.ts'

/** A file of the build in Vite's manifest. */
type Chunk = {
  readonly file: string
  readonly isDynamicEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** Sizes of the web app's files, in bytes after gzip. */
export type AppSizes = {
  /** All JavaScript loaded before the first screen, with the texts of the longest language. */
  readonly shell: number
  /** Additional JavaScript of the largest screen, without its texts. */
  readonly route: number
  readonly routeName: string
  readonly css: number
}

const main = 'index.html'
/** Loaded with every screen, but no screen waits for it. */
const besides = 'src/shell/other-account.tsx'
/** The texts that main.tsx waits for. */
const firstTexts = ['app', 'nav', 'sign-in', 'status']
const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar', 'zh', 'ja']

/** Builds the web app if it is not built yet, and measures the files that a browser loads. */
export async function measureAppSizes(dataDir: string): Promise<AppSizes> {
  const folder = await findBuild({ log: makeLog('silent'), dataDir })
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    Chunk
  >
  const chunk = (name: string) => {
    const found = manifest[name]
    if (!found) throw new Error(`the build has no ${name}`)
    return found
  }
  const withImports = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen
    seen.add(name)
    for (const each of chunk(name).imports ?? []) withImports(each, seen)
    return seen
  }
  const sizeOf = (file: string) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + sizeOf(chunk(name).file), 0)

  const shell = withImports(besides, withImports(main))
  const texts = languages.map((language) =>
    sum(firstTexts.map((part) => `src/messages/${language}/${part}.json`)),
  )
  const screens = Object.keys(manifest)
    .filter((name) => name.endsWith('.tsx') && chunk(name).isDynamicEntry && name !== besides)
    .map((name) => ({ name, size: sum([...withImports(name)].filter((each) => !shell.has(each))) }))
    .sort((a, b) => b.size - a.size)
  const styles = new Set(Object.values(manifest).flatMap(({ css = [] }) => css))
  return {
    shell: sum(shell) + Math.max(...texts),
    route: screens[0]?.size ?? Number.NaN,
    routeName: screens[0]?.name ?? 'none',
    css: [...styles].reduce((total, file) => total + sizeOf(file), 0),
  }
}
