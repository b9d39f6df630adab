import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../apps/server/test/support/browser/browser.ts'
import { logoPicture } from '../apps/server/test/support/browser/themes.ts'
import { repositoryRoot } from './source/list-files.ts'
import { fileOf, isCheckedIn, listShots, listStates, startGalleryHarness, takeShot } from './web/gallery.ts'

const help = `Usage: npm run gallery [-- --small] [-- --only STATE] [-- --out DIR]

Takes pictures of the checkout in every state: at 1280, 768 and 360 pixels, light and dark, in two themes, and once
from right to left. The pictures that are checked in, each state once on a phone, go to docs/images/checkout; the
others to .cache/gallery.

  --small       only the pictures that are checked in
  --only STATE  only this state (can be repeated)
  --out DIR     a different folder for the others
`

const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    out: { type: 'string', default: join(repositoryRoot, '.cache/gallery') },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else await takeGallery()

async function takeGallery(): Promise<void> {
  const harness = await startGalleryHarness()
  const browser = await launchBrowser()
  try {
    harness.themed.picture = await logoPicture()
    const states = await listStates(browser, harness)
    const unknown = (values.only ?? []).filter((state) => !states.includes(state))
    if (unknown.length > 0) throw new Error(`there is no state ${unknown.join(', ')}: ${states.join(', ')}`)
    const shots = listShots(values.only ?? states).filter((shot) => !values.small || isCheckedIn(shot))
    const small = join(repositoryRoot, 'docs/images/checkout')
    mkdirSync(values.out, { recursive: true })
    for (const [i, shot] of shots.entries()) {
      await takeShot(browser, harness, shot, isCheckedIn(shot) ? small : values.out)
      process.stdout.write(`\r${i + 1} of ${shots.length}  ${fileOf(shot)}\x1b[K`)
    }
    process.stdout.write(
      `\n${states.length} states; small pictures in ${small}, the others in ${values.out}\n`,
    )
  } finally {
    await browser.close()
    await harness.close()
  }
}
