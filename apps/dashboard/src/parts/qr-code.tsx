import type { ReactNode } from 'react'
import { encode } from 'uqr'

/** A QR code with the standard quiet zone, dark on white in every color scheme. */
export function QrCode({ value, label }: { readonly value: string; readonly label: string }): ReactNode {
  const { data, size } = encode(value, { ecc: 'M', border: 4 })
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-full rounded-2xl bg-white"
    >
      <path fill="#000" d={pathOf(data)} />
    </svg>
  )
}

function pathOf(rows: readonly (readonly boolean[])[]): string {
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
