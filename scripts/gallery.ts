import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../apps/server/test/support/browser/browser.ts'
import { startPageStand } from '../apps/server/test/support/browser/page-stand.ts'
import { pageStates } from '../apps/server/test/support/browser/page-states.ts'
import { logoPicture } from '../apps/server/test/support/browser/themes.ts'
import { repositoryRoot } from './source/list-files.ts'
import { appFileOf, isAppCheckedIn, listAppShots, startAppStand } from './web/app-gallery.ts'
import { appScreens } from './web/app-screens.ts'
import {
  fileOf,
  isCheckedIn,
  listShots,
  listStates,
  type Shot,
  takePageShot,
  takeShot,
} from './web/gallery.ts'

const help = `Usage: npm run gallery [-- --small] [-- --page NAME] [-- --only STATE] [-- --out DIR]

Takes pictures of the pages of a buyer in every state: at 1280, 768 and 360 pixels, light and dark, in two themes,
and once from right to left. The pictures that are checked in, each state once on a phone, go to docs/images/checkout
and, of the pages beside the checkout, to docs/images/pages; the others to .cache/gallery. So are the screens of the
merchant's web app, from a local service that it starts: the checked-in pictures, each screen once on a desktop, go to
docs/images/dashboard.

  --small       only the pictures that are checked in
  --page NAME   only of the checkout, of the other pages, or of the web app: checkout, pages, dashboard
  --only STATE  only this state (can be repeated)
  --out DIR     a different folder for the others
`

const { values } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    page: { type: 'string' },
    out: { type: 'string', default: join(repositoryRoot, '.cache/gallery') },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else await takeGallery()

type Page = {
  readonly name: string
  readonly states: readonly string[]
  take(shot: Shot, folder: string): Promise<void>
}

async function takeGallery(): Promise<void> {
  if (values.page === undefined || values.page === 'dashboard') await takeDashboard()
  if (values.page !== 'dashboard') await takePages()
}

async function takeDashboard(): Promise<void> {
  const wanted = Object.keys(appScreens).filter((name) => values.only?.includes(name) ?? true)
  if (wanted.length === 0) return
  const browser = await launchBrowser()
  const stand = await startAppStand()
  try {
    const shots = listAppShots(wanted).filter((shot) => !values.small || isAppCheckedIn(shot))
    const small = join(repositoryRoot, 'docs/images/dashboard')
    for (const [i, shot] of shots.entries()) {
      await stand.take(browser, shot, isAppCheckedIn(shot) ? small : values.out)
      process.stdout.write(`\rdashboard: ${i + 1} of ${shots.length}  ${appFileOf(shot)}\x1b[K`)
    }
    process.stdout.write(`\ndashboard: small pictures in ${small}, the others in ${values.out}\n`)
  } finally {
    await browser.close()
    await stand.close()
  }
}

async function takePages(): Promise<void> {
  const stand = await startPageStand()
  const browser = await launchBrowser()
  try {
    stand.looks.picture = await logoPicture()
    const all: readonly Page[] = [
      {
        name: 'checkout',
        states: await listStates(browser, stand),
        take: (shot, folder) => takeShot(browser, stand, shot, folder),
      },
      {
        name: 'pages',
        states: Object.keys(pageStates),
        take: (shot, folder) => takePageShot(browser, stand, shot, folder),
      },
    ]
    const known = all.flatMap(({ states }) => states)
    const unknown = (values.only ?? []).filter((state) => !known.includes(state) && !(state in appScreens))
    if (unknown.length > 0) throw new Error(`there is no state ${unknown.join(', ')}: ${known.join(', ')}`)
    for (const page of all) if ((values.page ?? page.name) === page.name) await takePage(page)
  } finally {
    await browser.close()
    await stand.close()
  }
}

async function takePage({ name, states, take }: Page): Promise<void> {
  const wanted = values.only ? states.filter((state) => values.only?.includes(state)) : states
  const shots = listShots(wanted).filter((shot) => !values.small || isCheckedIn(shot))
  const small = join(repositoryRoot, 'docs/images', name)
  mkdirSync(values.out, { recursive: true })
  for (const [i, shot] of shots.entries()) {
    await take(shot, isCheckedIn(shot) ? small : values.out)
    process.stdout.write(`\r${name}: ${i + 1} of ${shots.length}  ${fileOf(shot)}\x1b[K`)
  }
  process.stdout.write(
    `\n${name}: ${wanted.length} states; small pictures in ${small}, the others in ${values.out}\n`,
  )
}
