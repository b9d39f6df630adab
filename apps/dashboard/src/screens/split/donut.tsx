import { arc, pie } from 'd3-shape'
import type { ReactNode } from 'react'
import { percent } from '../../format/percent.ts'
import { text } from '../../messages/messages.ts'

export type Share = { readonly address: string; readonly sharesBps: number }

const size = 200
const fills = ['fill-share-1', 'fill-share-2', 'fill-share-3', 'fill-share-4', 'fill-share-5', 'fill-share-6']
const grounds = ['bg-share-1', 'bg-share-2', 'bg-share-3', 'bg-share-4', 'bg-share-5', 'bg-share-6']

/** Returns the background class of a row, which has the same color as its slice. */
export function groundOf(index: number): string {
  return grounds[index % grounds.length] ?? ''
}

export function Donut({ shares }: { readonly shares: readonly Share[] }): ReactNode {
  const slices = pie<Share>()
    .value(({ sharesBps }) => sharesBps)
    .sort(null)
    .padAngle(shares.length > 1 ? 0.02 : 0)([...shares])
  const draw = arc<(typeof slices)[number]>()
    .innerRadius(size * 0.32)
    .outerRadius(size / 2 - 2)
    .cornerRadius(3)
  return (
    <svg
      viewBox={`${-size / 2} ${-size / 2} ${size} ${size}`}
      role="img"
      aria-label={text('split.donut', { count: shares.length })}
      className="mx-auto size-44 shrink-0 md:size-52"
    >
      {slices.map((slice) => (
        <path
          key={slice.data.address}
          d={draw(slice) ?? ''}
          className={fills[slice.index % fills.length] ?? ''}
        />
      ))}
      <text textAnchor="middle" dy="0.35em" className="fill-ink font-bold text-2xl">
        {percent(slices.reduce((sum, { value }) => sum + value, 0))}
      </text>
    </svg>
  )
}
