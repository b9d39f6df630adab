import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { appFileOf, isAppCheckedIn, listAppShots } from '../../../../scripts/web/app-gallery.ts'
import { appScreens } from '../../../../scripts/web/app-screens.ts'
import {
  fileOf,
  isCheckedIn,
  listShots,
  listStates,
  startGalleryHarness,
} from '../../../../scripts/web/gallery.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { pageStates } from '../support/browser/page-states.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startGalleryHarness)
const browser = perFile(openBrowser)
const readText = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const folderOf = (page: string) => fileURLToPath(new URL(`../../../../docs/images/${page}/`, import.meta.url))

/** Fails unless the small pictures of a page are those of its states. */
function expectPictures(page: string, states: readonly string[]): void {
  const pictures = listShots(states).filter(isCheckedIn).map(fileOf)
  expect(readdirSync(folderOf(page)).sort(), 'run `npm run gallery -- --small`').toEqual(pictures.sort())
}

test('every state of the checkout has its picture in the documents, and no picture is of a state there is not', async () => {
  const states = await listStates(browser, harness)
  expect(states.length).toBeGreaterThan(30)
  expectPictures('checkout', states)
})

test('so has every state of the other pages, none of more than 30 kB', () => {
  expectPictures('pages', Object.keys(pageStates))
  for (const name of readdirSync(folderOf('pages')))
    expect([name, statSync(folderOf('pages') + name).size < 30_000]).toEqual([name, true])
})

test('so has every section of the web app, in its chapter of the documents, none of more than 30 kB', () => {
  const screens = Object.keys(appScreens)
  const list = readText('apps/dashboard/src/shell/sections.ts')
  const sections = [...list.matchAll(/\{ to: '\/([a-z-]+)'/g)].map(([, name]) => name)
  expect(sections.length).toBeGreaterThanOrEqual(14)
  expect(screens).toEqual(expect.arrayContaining(sections))
  const pictures = listAppShots(screens).filter(isAppCheckedIn).map(appFileOf)
  const folder = folderOf('dashboard')
  expect(readdirSync(folder).sort(), 'run `npm run gallery -- --page dashboard --small`').toEqual(
    pictures.sort(),
  )
  for (const name of pictures) expect([name, statSync(folder + name).size < 30_000]).toEqual([name, true])
  const chapters = readText('docs/dashboard.md')
  for (const name of pictures) expect(chapters).toContain(`(images/dashboard/${name})`)
})
