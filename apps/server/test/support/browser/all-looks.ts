import type { Page } from 'playwright-core'
import { violations } from './violations.ts'

const widths = [1280, 768, 320]
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/**
 * What is wrong with a page at three widths, light and dark: what axe finds, and what has to be scrolled sideways.
 *
 * The page stays open meanwhile, as on a tablet that is turned: to open it anew for each look takes ten times as long.
 */
export async function faultsInAllLooks(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const seen = await violations(page)
      const wider = await page.evaluate<number>(overflow)
      if (wider !== 0) seen.push(`${wider} px have to be scrolled sideways`)
      faults.push(
        ...seen.map((fault) => `${new URL(page.url()).pathname}, ${width} px, ${colorScheme}: ${fault}`),
      )
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  return faults
}
