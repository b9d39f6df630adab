import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'
import { temporaryPlace } from '../programs/temporary-place.ts'

/**
 * A headless Chromium from the npm package: nothing has to be installed, as root or not.
 *
 * The package's own arguments are for one page in one process and end the browser with the first
 * context that is closed; these are for many pages, with web security on. `more` are added to them.
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const folder = await unpackChromium()
  return playwright.launch({
    executablePath: join(folder, 'chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none', ...more],
    // What its processes share goes through files here: on a disk, each picture of a page is one to be found room for.
    env: {
      ...process.env,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      TMPDIR: temporaryPlace(),
    } as Record<string, string>,
  })
}

/**
 * The folder Chromium was unpacked to, once for each user and version.
 *
 * The package unpacks to fixed names in the temporary folder, where another user's file or one
 * half written by another process is taken for good. So each process unpacks to a folder of its
 * own and renames it when it is whole; who comes second throws his copy away.
 */
async function unpackChromium(): Promise<string> {
  const temporary = tmpdir()
  const user = process.getuid?.() ?? 0
  const folder = join(temporary, `sluice-chromium-${versionOfPackage()}-${user}`)
  if (isWhole(folder, user)) return folder

  const own = mkdtempSync(`${folder}.`)
  const before = process.env.TMPDIR
  try {
    process.env.TMPDIR = own
    await chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  mkdirSync(join(own, 'font-cache'))
  writeFileSync(join(own, 'fonts.conf'), fontsConf(folder))
  try {
    renameSync(own, folder)
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if (!isWhole(folder, user)) throw error
  }
  return folder
}

function isWhole(folder: string, user: number): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found && found.uid !== user) throw new Error(`${folder} belongs to another user; remove it`)
  return found !== undefined
}

function versionOfPackage(): string {
  const url = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string }
  return version
}

/** The fonts of the package first, so that pages look alike on every machine; those of the system for the rest. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/font-cache</cachedir>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`
}
