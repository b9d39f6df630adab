import { html, type SafeHtml } from '@remix-run/html-template'

const shapes = {
  bag: 'M6 8h12l1 12H5zM9 8V6.5a3 3 0 0 1 6 0V8',
  search: 'M11 4.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM16 16l4 4',
  back: 'M15 5l-7 7l7 7',
  on: 'M9 5l7 7l-7 7',
  spark: 'M12 3.5l2.1 5.9l5.9 2.1l-5.9 2.1l-2.1 5.9l-2.1-5.9l-5.9-2.1l5.9-2.1z',
} as const

/** A sign of the storefront; decorative, since words always stand beside it or name its button. */
export function icon(name: keyof typeof shapes): SafeHtml {
  const turns = name === 'back' || name === 'on' ? ' turns' : ''
  return html`<svg class="icon${turns}" viewBox="0 0 24 24" aria-hidden="true"><path d="${shapes[name]}"/></svg>`
}
