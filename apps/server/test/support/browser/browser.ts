import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type LaunchOptions,
  chromium as playwright,
} from 'playwright-core'
import { temporaryPlace } from '../programs/temporary-place.ts'

export type TestBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>

/**
 * Opens a handle to the worker's Chromium, which starts on first use and ends with the worker.
 *
 * `close` closes only the contexts that were opened through this handle.
 */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await getSharedBrowser()
  const contexts = new Set<BrowserContext>()
  const track = (context: BrowserContext) => {
    contexts.add(context)
    context.once('close', () => contexts.delete(context))
    return context
  }
  return {
    newContext: async (options) => track(await browser.newContext(options)),
    async newPage(options) {
      const page = await browser.newPage(options)
      track(page.context())
      return page
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()))
    },
  }
}

/** Module state on purpose: a worker runs many files, and one Chromium serves them all. */
let shared: Promise<Browser> | undefined

function getSharedBrowser(): Promise<Browser> {
  shared = keepOrLaunch(shared)
  return shared
}

async function keepOrLaunch(launched: Promise<Browser> | undefined): Promise<Browser> {
  const browser = await launched?.catch(() => undefined)
  if (browser?.isConnected()) return browser
  // Vitest ends a worker with SIGTERM. An exit kills Chromium and removes its profile; a later SIGKILL would
  // not.
  process.once('SIGTERM', () => process.exit())
  return launchBrowser({ handleSIGTERM: false })
}

/**
 * Starts headless Chromium from the npm package, which needs no installation. The package's own arguments
 * allow only one page and disable web security.
 */
export async function launchBrowser({ args = [], ...options }: LaunchOptions = {}): Promise<Browser> {
  const folder = await unpackChromium()
  const base = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none']
  return playwright.launch({
    ...options,
    executablePath: join(folder, 'chromium'),
    args: [...base, ...args],
    // Chromium's shared memory consists of files in TMPDIR. On a disk, each screenshot would have to be
    // written.
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf'), TMPDIR: temporaryPlace() },
  })
}

/**
 * Returns the folder with the unpacked Chromium, one per user and version.
 *
 * Each process unpacks to its own folder and renames it when it is complete. The first rename wins.
 */
async function unpackChromium(): Promise<string> {
  const user = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `sluice-chromium-${versionOfPackage()}-${user}`)
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
