import { html } from '@remix-run/html-template'
import type { Hex } from '@sluice/protocol/theme/colour-space.ts'
import { fillWithText } from '@sluice/protocol/theme/readable.ts'
import type { ImageKind } from '../../images/image.ts'
import { initialOf } from '../html/brand-mark.ts'
import { defaultPrimary } from '../theme/make-theme.ts'

/** What a picture is shown as that cannot be: the initial letter for a logo or a product, nothing for a cover. */
export function placeholderSvg(kind: ImageKind, name: string, primary: string | undefined): string {
  if (kind === 'cover') return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
  const { fill, text } =
    kind === 'product'
      ? { fill: '#80808024', text: '#808080' }
      : fillWithText((primary ?? defaultPrimary) as Hex)
  const [letter] = initialOf(name)
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96"><rect width="96" height="96" fill="${fill}"/><text x="48" y="50" fill="${text}" font-family="system-ui,sans-serif" font-size="44" font-weight="600" text-anchor="middle" dominant-baseline="central">${letter ?? ''}</text></svg>`,
  )
}
