import { html, type SafeHtml } from '@remix-run/html-template'
import { encode } from 'uqr'

/** A QR code as SVG, dark on white in every colour scheme, with the quiet zone the standard asks for. */
export function qrSvg(text: string, label: string): SafeHtml {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${qrPath(data)}"/></svg>`
}

/** The dark modules of a code as a path: one rectangle for each run in a row. */
export function qrPath(rows: readonly (readonly boolean[])[]): string {
  let path = ''
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x++) {
      const start = x
      while (row[x]) x++
      if (x > start) path += `M${start} ${y}h${x - start}v1h${start - x}z`
    }
  }
  return path
}
