import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

// Bundles recover.ts with its packages and their licenses into one file that needs only Node 20 or later:
// node apps/cli/build-recover.ts FILE
const [outfile] = process.argv.slice(2)
if (outfile === undefined) throw new Error('name the file to write')
const root = join(import.meta.dirname, '../..')
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['apps/cli/recover.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  metafile: true,
})
const [output] = Object.values(metafile.outputs)
const paths = Object.entries(output?.inputs ?? {}).map(([path, { bytesInOutput }]) =>
  bytesInOutput > 0 ? /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] : undefined,
)
const licenses = [...new Set(paths)].flatMap((path) => {
  if (path === undefined) return []
  const { name, version } = JSON.parse(read(path, 'package.json'))
  const license = readdirSync(join(root, path)).find((file) => /^licen[cs]e/i.test(file))
  if (license === undefined) throw new Error(`${name} has no license file`)
  return `${name} ${version}\n\n${read(path, license).trim()}`
})
const { version } = JSON.parse(read('apps/cli/package.json'))
const own = `Sluice ${version} is under the Apache License 2.0. This file contains the packages below.`
const notices = `/*\n${[own, ...licenses].join('\n\n')}\n*/\n`
writeFileSync(outfile, `${outputFiles[0]?.text}\n${notices}`)
