import type { Page } from 'playwright-core'

/**
 * Texts of a page that are seen with less contrast than WCAG 2.2 asks for (4.5, or 3 where they are large), as the
 * browser has computed their colours; measured anew here, apart from what axe finds.
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
