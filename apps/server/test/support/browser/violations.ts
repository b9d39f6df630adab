import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { CDPSession, Page } from 'playwright-core'

/**
 * What axe finds against WCAG 2.2 AA in a page: a line for each rule, with the elements that break it.
 *
 * A colour on its way to another is nobody's: what moves and comes to an end is waited for. A document that was looked
 * at before, and in which nothing has changed since but how it looks, is looked at by the rules that look matters to:
 * the others read its elements, their attributes and whether they are shown, and would say the same again.
 */
export async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>(`${animationsOver}.then(() => !('axe' in globalThis))`)) await putAxe(page)
  return page.evaluate<string[]>(look)
}

/** The rules that read colours, sizes or places; all others depend on the document, and on what of it is shown. */
const rulesOfLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

const animationsOver = `Promise.allSettled(
  document.getAnimations()
    .filter((it) => it.effect?.getComputedTiming().iterations !== Infinity)
    .map((it) => it.finished),
)`

const look = `(async () => {
  const elements = [...document.querySelectorAll('*')]
  const isShown = (it) => it.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })
  const seen = [location.href, document.title, document.documentElement.outerHTML,
    elements.map((it) => [isShown(it), it.value, it.checked, it.disabled]).join(),
  ].join('\\n')
  const known = globalThis.cleanByAxe === seen
  const { violations } = await axe.run({
    runOnly: known ? { type: 'rule', values: ${JSON.stringify(rulesOfLooks)} } : ${JSON.stringify(tags)},
    resultTypes: ['violations'],
    selectors: false,
  })
  if (violations.length === 0) globalThis.cleanByAxe = seen
  return violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html).join(' '))
})()`

/** By Chromium's own protocol: what it has compiled for one page it keeps for the next. */
async function putAxe(page: Page): Promise<void> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: source })
  if (exceptionDetails) throw new Error(`axe does not run: ${exceptionDetails.text}`)
}

const sessions = new WeakMap<Page, CDPSession>()
let source: string | undefined
