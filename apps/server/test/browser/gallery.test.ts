import { readdirSync } from 'node:fs'
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
import { perFile } from '../support/per-file.ts'

const harness = perFile(startGalleryHarness)
const browser = perFile(launchBrowser)
const folder = fileURLToPath(new URL('../../../../docs/images/checkout/', import.meta.url))

test('every state of the checkout has its picture in the documents, and no picture is of a state there is not', async () => {
  const states = await listStates(browser, harness)
  expect(states.length).toBeGreaterThan(30)
  const pictures = listShots(states).filter(isCheckedIn).map(fileOf)
  expect(readdirSync(folder).sort(), 'run `npm run gallery -- --small`').toEqual(pictures.sort())
})
