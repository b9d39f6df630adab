import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { CDPSession, Page } from 'playwright-core'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * The axe rules that depend on colors, sizes or positions. The others depend only on the document and on
 * visibility.
 */
const rulesOfLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']

/**
 * Returns the WCAG 2.2 AA violations that axe finds: one line per rule, with the elements. Waits for finite
 * animations. If the document is unchanged since a clean run, re-runs only {@link rulesOfLooks}.
 */
export async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>(`${animationsOver}.then(() => !('axe' in globalThis))`)) await putAxe(page)
  return page.evaluate<string[]>(`(async () => {
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
  })()`)
}

const animationsOver = `Promise.allSettled(
  document.getAnimations()
    .filter((it) => it.effect?.getComputedTiming().iterations !== Infinity)
    .map((it) => it.finished),
)`

/** Injects axe through Chromium's protocol, which caches the compiled script for the next page. */
async function putAxe(page: Page): Promise<void> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: source })
  if (exceptionDetails) throw new Error(`axe does not run: ${exceptionDetails.text}`)
}

const sessions = new WeakMap<Page, CDPSession>()
let source: string | undefined

export async function errorsInAllLooks(page: Page): Promise<string[]> {
  const errors: string[] = []
  for (const width of [1280, 768, 320]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const found = await violations(page)
      const wider = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      if (wider !== 0) found.push(`${wider} px have to be scrolled sideways`)
      const { pathname } = new URL(page.url())
      errors.push(...found.map((error) => `${pathname}, ${width} px, ${colorScheme}: ${error}`))
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  return errors
}

/**
 * Returns texts with less contrast than WCAG 2.2 requires: 4.5, or 3 for large text. Uses computed colors and
 * is independent of axe.
 */
export function findFaintText(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const parse = (text) => {
      const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number)
      return { rgb: [r, g, b], a }
    }
    const over = (top, below) => top.rgb.map((part, i) => part * top.a + below[i] * (1 - top.a))
    const groundOf = (element) => {
      if (!element) return [255, 255, 255]
      const own = parse(getComputedStyle(element).backgroundColor)
      return own.a === 1 ? own.rgb : over(own, groundOf(element.parentElement))
    }
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((part) => {
        const share = part / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const faint = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.textContent.trim()
      if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      if (element.closest('.hidden, script, style, noscript, .skip')) continue
      const style = getComputedStyle(element)
      const ground = groundOf(element)
      const [x, y] = [luminance(over(parse(style.color), ground)), luminance(ground)]
      const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
      const size = parseFloat(style.fontSize)
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
      if (ratio < (isLarge ? 3 : 4.5)) faint.push(ratio.toFixed(2) + ' ' + element.tagName + ': ' + text.slice(0, 40))
    }
    return faint
  })()`)
}
