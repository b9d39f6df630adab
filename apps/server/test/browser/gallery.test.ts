import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  fileOf,
  isCheckedIn,
  listShots,
  listStates,
  startGalleryHarness,
} from '../../../../scripts/web/gallery.ts'
import { launchBrowser } from '../support/browser/browser.ts'
import { pageStates } from '../support/browser/states/page-states.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startGalleryHarness)
const browser = perFile(launchBrowser)
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
