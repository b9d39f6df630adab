import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version as serverVersion } from '../apps/server/src/app/version.ts'
import * as check from './release/check-files.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run release -- --dry-run [--tag TAG] [--out DIR]

Builds and checks the files of a release: a tarball of each public package, the build context of the container
image, the recovery program in one file, the release notes. Prints the remaining steps. Publishes nothing: .github/workflows/release.yml publishes
when a tag is pushed.

  --dry-run   required
  --tag TAG   fails if the tag is wrong, or if a step remains before the tag
  --out DIR   folder for the files (default: .cache/release)
  --packages  builds and checks the tarballs only`

type Manifest = {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly repository?: unknown
  readonly exports?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    tag: { type: 'string' },
    out: { type: 'string', default: join(repositoryRoot, '.cache/release') },
    packages: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
const errors: string[] = []
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const manifests = listFiles(repositoryRoot, ['package.json']).map((path) => ({
  path,
  manifest: JSON.parse(read(path)) as Manifest,
}))
const published = manifests
  .filter(({ path, manifest }) => path.startsWith('packages/') && !manifest.private)
  .map(({ manifest }) => manifest)
const { version } = JSON.parse(read('package.json')) as Manifest

if (values.help) {
  console.log(help)
} else if (values['dry-run'] || values.packages) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const manifest of published) packPackage(manifest)
  if (!values.packages) buildRelease()
  for (const error of errors) console.log(`error: ${error}`)
  if (errors.length > 0) process.exitCode = 1
} else {
  console.log('Only the release workflow has an npm identity and a container registry: push a tag.\n')
  console.log(help)
  process.exitCode = 2
}

function buildRelease(): void {
  checkVersions()
  packImageContext()
  run('node', 'apps/cli/build-recover.ts', join(out, `recover-${version}.mjs`))
  const section = check.readNotes(read('CHANGELOG.md'), version)
  writeFileSync(join(out, 'release-notes.md'), section?.notes ?? '')
  if (section === undefined) errors.push(`CHANGELOG.md has no section ${version}`)
  const isDated = /\d{4}-\d{2}-\d{2}/.test(section?.heading ?? '')
  const unlinked = published.filter(({ repository }) => !repository).map(({ name }) => name)
  const steps = [
    ...(isDated ? [] : [`write the date into the heading of ${version} in CHANGELOG.md`]),
    ...(unlinked.length > 0 ? [`set \`repository\` in the package.json of ${unlinked.join(', ')}`] : []),
  ]
  if (values.tag !== undefined) errors.push(...steps)
  if (values.tag !== undefined && values.tag !== `v${version}`)
    errors.push(`the tag is ${values.tag}, not v${version}`)
  if (errors.length > 0) return
  const remaining = [
    ...steps,
    `git tag -s v${version} -m v${version} && git push origin v${version}`,
    'release.yml then publishes the packages with provenance, the image, and the notes: check each of them',
  ]
  console.log(`Version ${version} is built in ${out}:`)
  for (const name of readdirSync(out)) console.log(`  ${name}`)
  console.log(`\nRemaining steps:\n${remaining.map((step, i) => `  ${i + 1}. ${step}`).join('\n')}`)
}

function checkVersions(): void {
  if (run('git', 'status', '--porcelain') !== '') errors.push('the working tree has uncommitted changes')
  if (serverVersion !== version) errors.push(`apps/server/src/app/version.ts has version ${serverVersion}`)
  for (const { path, manifest } of manifests) {
    if (manifest.version !== version) errors.push(`${path} has version ${manifest.version}`)
    for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      if (name.startsWith('@sluice/') && range !== version) errors.push(`${path} requires ${name} ${range}`)
  }
}

/** Packs a package as npm would publish it, and checks the tarball. */
function packPackage({ name, exports }: Manifest): void {
  run('npm', 'pack', '-w', name, '--pack-destination', out)
  const tarball = join(out, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`)
  run('publint', tarball, '--strict')
  if (exports !== undefined) run('attw', tarball, '--profile', 'esm-only')
  const files = unpack(tarball, 1)
  const found = [...check.checkFiles(files, check.packageFiles), ...check.checkDocuments(files)]
  errors.push(...found.map((error) => `${name}: ${error}`))
}

/** Writes the image's source files from the last commit, and checks them. */
function packImageContext(): void {
  const copies = read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)
  const copied = [...copies].flatMap(([, paths = '']) => paths.split(' '))
  const rules = read('deploy/Dockerfile.dockerignore').split('\n').filter(Boolean)
  const isCopied = (path: string) =>
    copied.some((source) => `${path}/`.startsWith(`${source.replace(/\/$/, '')}/`))
  const paths = run('git', 'ls-files')
    .split('\n')
    .filter((path) => isCopied(path) && !check.isIgnored(path, rules))
  const missing = manifests.filter(({ path }) => !copied.includes(path))
  errors.push(...missing.map(({ path }) => `deploy/Dockerfile does not copy ${path} before npm ci`))
  const archive = join(out, `sluice-image-context-${version}.tar.gz`)
  run(
    'git',
    'archive',
    `--output=${archive}`,
    'HEAD',
    '--',
    'deploy/Dockerfile',
    'deploy/Dockerfile.dockerignore',
    ...paths,
  )
  const files = unpack(archive, 0)
  errors.push(...check.checkFiles(files, check.contextFiles))
  for (const path of ['LICENSE', 'THIRD_PARTY_NOTICES.md', 'package-lock.json', 'apps/server/src/main.mjs'])
    if (!files.some((file) => file.path === path)) errors.push(`the image context lacks ${path}`)
}

function unpack(archive: string, strip: number): check.ReleaseFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'))
  try {
    run('tar', '-xzf', archive, '-C', folder, `--strip-components=${strip}`)
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path: path.slice(folder.length + 1), text: readFileSync(path, 'utf8') }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a program and returns its output. If the program fails, adds an error to the release's errors. */
function run(program: string, ...args: string[]): string {
  const options = { cwd: repositoryRoot, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const { status, stdout, stderr } = spawnSync(program, args, options)
  if (status !== 0) errors.push(`${program} ${args.slice(0, 3).join(' ')}\n${stdout}${stderr}`)
  return stdout?.trim() ?? ''
}
