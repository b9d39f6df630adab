import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../run/run-command.ts'
import { repositoryRoot } from '../source/list-files.ts'

const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
const hasGit = existsSync(join(repositoryRoot, '.git'))

test.skipIf(!hasGit)(
  'a dry run builds tarballs, image context, recovery program and notes, and finds no error but the wrong tag',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const args = ['scripts/release.ts', '--dry-run', '--tag', 'v0.0.0', '--out', folder]
    const { exitCode, output } = await runCommand('node', args)
    // Expected errors until a release is prepared. A change under test is not committed yet.
    const expected = /the working tree has|write the date|set `repository`/
    const errors = output.split('\n').filter((line) => line !== '' && !expected.test(line))
    expect(errors).toEqual([`error: the tag is v0.0.0, not v${version}`])
    expect(exitCode).toBe(1)
    const files = readdirSync(folder)
    for (const name of [
      'release-notes.md',
      `sluice-sdk-${version}.tgz`,
      `sluice-image-context-${version}.tar.gz`,
    ])
      expect(files).toContain(name)
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const recover = await runCommand('node', [`../recover-${version}.mjs`, '--help'], { cwd: empty })
    expect(recover).toMatchObject({ exitCode: 0, output: expect.stringContaining('24 words') })
    expect(readFileSync(join(folder, 'release-notes.md'), 'utf8')).toMatch(/^- /m)
  },
)

test('without --dry-run, a release names what it needs and builds nothing', async () => {
  const { exitCode, output } = await runCommand('node', ['scripts/release.ts'])
  expect(output).toContain('Only the release workflow has an npm identity')
  expect(exitCode).toBe(2)
})
