import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds against WCAG 2.2 AA in a page: a line for each rule, with the elements that break it.
 *
 * A colour on its way to another is nobody's: what moves and comes to an end is waited for.
 */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(animationsOver)
  await page.evaluate(axe.source)
  return page.evaluate<string[]>(`
    axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html).join(' ')))`)
}

const animationsOver = `Promise.allSettled(
  document.getAnimations()
    .filter((it) => it.effect?.getComputedTiming().iterations !== Infinity)
    .map((it) => it.finished),
).then(() => undefined)`
